import { LAST_WEEKLY } from './bank-files.ts';
import type { DemoRequest } from './demo-request.ts';

/** Requests that take an unusual course, and requests that wait for people of the README. */

const sarah = { of: 1, by: 'Sarah Lindgren', payee: 'Sarah Lindgren', approver: 'Paige Whitlock' };
const megan = { ...sarah, by: 'Megan Alvarado' };
const camila = { of: 2, by: 'Camila Navarro', payee: 'Camila Navarro', approver: 'Ruth Adeyemi' };
const tessa = { of: 3, by: 'Tessa Boyd', payee: 'Tessa Boyd', approver: 'Anjali Mehta' };
const between = (of: number, by: string, approver: string) => ({ of, by, payee: by, approver });

export const SPECIAL_REQUESTS: DemoRequest[] = [
  {
    ...{ ...sarah, end: 'returned', written: LAST_WEEKLY + 10, amount_cents: 41_236, receipt: 'picture' },
    ...{ category: 'Travel', description: 'Train and hotel for the scan at the clinic' },
  },
  {
    ...{ ...sarah, end: 'denied', written: 21, amount_cents: 18_000 },
    ...{ category: 'Childcare', description: 'Sitter for two evenings' },
    reason:
      'Our contract covers childcare on appointment days only. Were these appointments? Then please send the dates.',
  },
  {
    ...{ ...megan, end: 'cancelled', written: 17, amount_cents: 9_900 },
    ...{ category: 'Travel', description: 'Parking at the clinic, entered twice' },
  },
  {
    ...{ ...sarah, end: 'approved', written: 3.4, amount_cents: 12_480, receipt: 'bill' },
    ...{ category: 'Medical', description: 'Vitamins and prescriptions of this month' },
  },
  {
    ...{ of: 1, by: 'Rachel Novak', payee: 'Paige Whitlock', approver: 'Marcus Whitlock', end: 'approved', written: 3 },
    ...{
      category: 'Parents’ travel',
      description: 'Flights of both parents to the 20-week scan',
      amount_cents: 64_000,
      receipt: 'bill',
    },
  },
  {
    ...{ ...sarah, end: 'submitted', written: 1.8, amount_cents: 23_750, receipt: 'picture' },
    ...{ category: 'Childcare', description: 'Sitter for the two appointment days of this month' },
  },
  {
    ...{ ...sarah, end: 'submitted', written: 1.2, amount_cents: 6_720, changed: true, receipt: 'picture' },
    ...{ category: 'Maternity clothing', description: 'Two pairs of jeans and a coat that closes again' },
  },
  {
    ...{
      of: 1,
      by: 'Paige Whitlock',
      payee: 'Paige Whitlock',
      approver: 'Marcus Whitlock',
      end: 'submitted',
      written: 0.3,
    },
    ...{
      category: 'Parents’ travel',
      description: 'Hotel near the hospital for the week of the birth, deposit',
      amount_cents: 55_000,
    },
  },
  {
    ...{ ...sarah, end: 'draft', written: 0.1, amount_cents: 4_000 },
    ...{ category: 'Medical', description: 'Co-pay of the last visit' },
  },
  {
    ...{ ...camila, end: 'submitted', written: 1, amount_cents: 14_210, receipt: 'picture' },
    ...{ category: 'Travel', description: 'Gas and parking for the monitoring visits' },
  },
  {
    ...{ ...tessa, end: 'submitted', written: 5, amount_cents: 32_000, receipt: 'bill' },
    ...{ category: 'Legal fees', description: 'First consultation about the contract' },
  },
  {
    ...{ ...tessa, end: 'draft', written: 2, amount_cents: 6_400 },
    ...{ category: 'Medical', description: 'Blood test' },
  },
  {
    ...{
      ...between(9, 'Abigail Stroud', 'Noor Rahmani'),
      end: 'retried',
      written: LAST_WEEKLY + 3,
      amount_cents: 28_650,
      receipt: 'picture',
    },
    ...{ category: 'Travel', description: 'Two nights in the city for the cardiac scan' },
  },
  {
    ...{
      ...between(17, 'Christine Abel', 'Yara Khoury'),
      end: 'paid_again',
      written: LAST_WEEKLY + 50,
      amount_cents: 19_999,
      receipt: 'picture',
    },
    ...{ category: 'Maternity clothing', description: 'Winter coat and boots' },
  },
  {
    ...{
      ...between(16, 'Vanessa Rudd', 'Ingrid Solberg'),
      end: 'returned',
      written: LAST_WEEKLY + 3,
      amount_cents: 7_350,
    },
    ...{ category: 'Childcare', description: 'Sitter during the glucose test' },
  },
  {
    ...{ ...between(22, 'Rebecca Tolley', 'Susanna Holm'), end: 'denied', written: 12, amount_cents: 21_900 },
    ...{ category: 'Travel', description: 'Weekend at the lake' },
    reason:
      'We are glad that you got away for a weekend. The contract covers trips to appointments, so we cannot pay this one.',
  },
  {
    ...{
      ...between(8, 'Melissa Quade', 'Wesley Garnett'),
      end: 'submitted',
      written: 6.4,
      amount_cents: 48_200,
      receipt: 'bill',
    },
    ...{ category: 'Medical', description: 'Out-of-network lab, the bill came late' },
  },
  {
    ...{
      ...between(21, 'Monique Ashby', 'Thomas Engel'),
      end: 'submitted',
      written: 0.6,
      amount_cents: 3_150,
      receipt: 'picture',
    },
    ...{ category: 'Medical', description: 'Compression socks' },
  },
  {
    ...{ ...between(27, 'Amber Castell', 'Jasper Lindholm'), end: 'submitted', written: 2.6, amount_cents: 9_600 },
    ...{ category: 'Lost wages', description: 'Three hours off work for the non-stress test' },
  },
  {
    ...{ ...sarah, end: 'batched', written: 2.5, amount_cents: 6_720 },
    ...{ category: 'Travel', description: 'Mileage to the two visits of this month, 96 miles' },
  },
  {
    ...{ ...between(9, 'Abigail Stroud', 'Noor Rahmani'), end: 'batched', written: 2.48, amount_cents: 8_000 },
    ...{ category: 'Medical', description: 'Co-pays of two visits' },
  },
  {
    ...{ ...between(26, 'Courtney Miles', 'Isabel Duarte'), end: 'batched', written: 2.2, amount_cents: 4_680 },
    ...{ category: 'Travel', description: 'Ride home after the transfer' },
  },
  {
    ...{ ...between(7, 'Danielle Frost', 'Lucia Marin'), end: 'batched', written: 2.15, amount_cents: 2_745 },
    ...{ category: 'Medical', description: 'Sharps box and a thermometer' },
  },
  {
    ...{ ...between(31, 'Brooke Hanley', 'Ling Zhao'), end: 'cancelled', written: 33, amount_cents: 16_000 },
    ...{ category: 'Childcare', description: 'Sitter, the visit was moved' },
  },
];
