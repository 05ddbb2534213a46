import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Transaction } from '@case-platform/lib/database';
import { putObject, type Storage } from '@case-platform/modules/storage';
import { agreementPdf, billPdf, bookingPdf } from './documents.ts';
import { drawPhotoId, drawPortrait, drawReceipt, type Face, type Sale } from './drawn-pictures.ts';
import { insertRows, type Row } from './insert.ts';
import { hasCome } from './journey.ts';
import { ago, dayAgo } from './moments.ts';
import type { SeededCase } from './seed-cases.ts';
import type { SeededMessage } from './seed-conversations.ts';
import type { SeededRequest } from './seed-money.ts';
import type { People } from './seed-people.ts';

interface Seed {
  tx: Transaction;
  storage: Storage;
  people: People;
}

interface Sources {
  cases: readonly SeededCase[];
  requests: readonly SeededRequest[];
  messages: readonly SeededMessage[];
}

/** A file, and the row that names it. */
interface DemoFile {
  table: 'case_document' | 'disbursement_file' | 'message_file' | 'user_file';
  row: Row;
  folder: string;
  body: Buffer | Promise<Buffer>;
}

/** Simultaneous connections to the storage. */
const AT_ONCE = 8;
const CONTRACT_SIGNED = 47;
/** Days after which a request of the demo has no receipt. */
const RECEIPTS_DAYS = 30;

/** The faces of people who can sign in. */
const FACES: Readonly<Record<string, Face>> = {
  'Paige Whitlock': face('#ecc4a8', '#76462c', '#c4745c', '#e2d6c4', true),
  'Marcus Whitlock': face('#96684c', '#2a201e', '#405c7a', '#cedade', false),
  'Sarah Lindgren': face('#f4d4bc', '#cea460', '#0f5e59', '#dee4d4', true),
  'Megan Alvarado': face('#d6a480', '#3c2822', '#785684', '#e4d8e2', true),
  'Olivia Prescott': face('#f0ccb4', '#969496', '#343c54', '#d6dee6', true),
  'Rachel Novak': face('#f0d0ba', '#803424', '#464a46', '#dedcd0', true),
  'Julia Navarro': face('#ce9874', '#302220', '#cc9448', '#e6dcc8', true),
  'Camila Navarro': face('#ce9874', '#482e24', '#5c8068', '#d6e2d8', true),
};

/** The shop for each category, and two things that it sells. */
const TILLS: Readonly<Record<string, readonly [shop: string, first: string, second: string]>> = {
  Travel: ['HARBOR STREET INN', 'ROOM, 2 NIGHTS', 'PARKING AND TAX'],
  Medical: ['CORNER PHARMACY', 'RX 88214', 'VITAMIN D3'],
  Childcare: ['LITTLE LANTERN CARE', 'SITTER, 6 HOURS', 'SITTER, EVENING'],
  'Maternity clothing': ['NORTHSIDE OUTFITTERS', 'COAT', 'JEANS, 2'],
  'Legal fees': ['LINDEN NOTARY', 'ACKNOWLEDGMENT', 'COPIES'],
};
const PRACTICES = ['Linden Women’s Health', 'Harbor Imaging', 'Northside Laboratory'];

/** Stores agreements, receipts, attachments, portraits, and sample identity cards, with their rows. */
export async function seedFiles({ tx, storage, people }: Seed, { cases, requests, messages }: Sources): Promise<void> {
  const files = [
    ...cases.flatMap(agreementOf(people)),
    ...requests.flatMap(receiptOf(people)),
    ...messages.flatMap(attachmentOf),
    ...Object.entries(FACES).flatMap(([name, look]) => ownFilesOf(people, name, look)),
  ];
  const stored = files.map(async ({ table, row, folder, body: drawn }) => {
    const body = await drawn;
    const isPicture = body[0] === 0x89;
    const storage_key = `${folder}/${randomUUID()}.${isPicture ? 'png' : 'pdf'}`;
    const content_type = isPicture ? 'image/png' : 'application/pdf';
    return { table, body, storage_key, row: { ...row, content_type, size: body.length, storage_key } };
  });
  const rows = await Promise.all(stored);
  const waiting = [...rows];
  const put = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop())
      await putObject(storage, {
        key: one.storage_key,
        body: Readable.from([one.body]),
        size: one.body.length,
        contentType: String(one.row.content_type),
      });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, put));
  for (const [table, own] of Map.groupBy(rows, ({ table }) => table))
    await insertRows(
      tx,
      table,
      own.map(({ row }) => row),
    );
}

function agreementOf(people: People) {
  return ({ id, number, plan }: SeededCase): DemoFile[] => {
    const { parents, surrogate, specialist, opened, compensation = 450_000 } = plan;
    if (surrogate === null || specialist === null || !hasCome(plan, CONTRACT_SIGNED)) return [];
    const signed = opened - CONTRACT_SIGNED;
    const row = {
      case_id: id,
      filename: 'Agreement.pdf',
      uploaded_by: people.of(specialist).id,
      created_at: ago(signed),
    };
    const text = {
      number,
      surrogate,
      day: dayAgo(signed),
      compensation_cents: compensation,
      parents: parents.filter((name) => name !== undefined).join(' and '),
    };
    return [{ table: 'case_document', folder: `cases/${id}`, row, body: agreementPdf(text) }];
  };
}

function receiptOf(people: People) {
  return ({ id, request }: SeededRequest): DemoFile[] => {
    const { receipt, written, by, amount_cents, category, description, payee } = request;
    if (receipt === undefined || written > RECEIPTS_DAYS) return [];
    const filename = receipt === 'bill' ? 'Bill.pdf' : 'Receipt.png';
    const row = { disbursement_id: id, filename, uploaded_by: people.of(by).id, created_at: ago(written - 0.01) };
    const day = dayAgo(written + 1);
    const bill = {
      from: PRACTICES[id % PRACTICES.length] ?? '',
      to: payee,
      what: description,
      cents: amount_cents,
      day,
    };
    const body = receipt === 'bill' ? billPdf(bill) : drawReceipt(saleOf(category, id, day, amount_cents));
    return [{ table: 'disbursement_file', folder: `disbursements/${id}`, row, body }];
  };
}

/** A receipt with two lines that add up to the amount. */
function saleOf(category: string, number: number, day: string, cents: number): Sale {
  const [shop, first, second] = TILLS[category] ?? ['LINDEN MARKET', 'ITEMS', 'TAX'];
  const most = Math.round(cents * 0.64);
  const items = [[first, most] as const, [second, cents - most] as const];
  return { shop, place: `${100 + (number % 60)} LINDEN STREET`, day, items };
}

function attachmentOf({ id, chain_id, line, conversation }: SeededMessage): DemoFile[] {
  const { file, days } = conversation;
  if (file?.line !== line) return [];
  const day = dayAgo(days - 3);
  const files = {
    receipt: ['Receipt.png', () => drawReceipt(saleOf('Maternity clothing', 1, dayAgo(days + 1), 6_720))],
    agreement: ['Agreement, signed.pdf', () => agreementPdf({ ...OF_CASE_1, day: dayAgo(days) })],
    booking: ['Booking.pdf', () => bookingPdf('two nights', day)],
  } as const;
  const [filename, draw] = files[file.kind];
  return [{ table: 'message_file', folder: `messages/${chain_id}/${id}`, row: { message_id: id, filename }, body: draw() }];
}

const OF_CASE_1 = {
  number: 1,
  parents: 'Paige Whitlock and Marcus Whitlock',
  surrogate: 'Sarah Lindgren',
  compensation_cents: 450_000,
};

function ownFilesOf(people: People, name: string, look: Face): DemoFile[] {
  const { id, user_type } = people.of(name);
  const row = { user_id: id, created_at: ago(190) };
  const portrait: DemoFile = {
    table: 'user_file',
    folder: `users/${id}`,
    body: drawPortrait(look),
    row: { ...row, purpose: 'profile_picture', filename: 'Portrait.png' },
  };
  if (user_type !== 'surrogate' && user_type !== 'ip') return [portrait];
  const card: DemoFile = {
    table: 'user_file',
    folder: `users/${id}`,
    body: drawPhotoId(name, look),
    row: { ...row, purpose: 'photo_id', filename: 'Photo ID (sample).png' },
  };
  return [portrait, card];
}

function face(skin: string, hair: string, shirt: string, ground: string, isLong: boolean): Face {
  return { skin, hair, shirt, ground, isLong };
}
