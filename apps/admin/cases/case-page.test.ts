import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission } from '@case-platform/modules/accounts';
import { CASE_STATUSES, type CaseStatus } from '@case-platform/modules/cases';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { caseDocuments } from './case-documents.ts';
import { CASE_EDITORS, caseEditPage } from './case-edit-page.ts';
import { caseMilestones } from './case-milestones.ts';
import { caseMoneyPage } from './case-money-page.ts';
import { casePage } from './case-page.ts';
import { cashEntries } from './cash-entries.ts';

/** Renders the pages of a case without a server: in each state, for each permission, on and off the team. */

const NOW = '2026-11-23T12:00:00Z';
const frameOf = (permissions: readonly Permission[], zone = 'UTC') => staffFrame({ permissions, now: NOW, zone });
const OUTLINE = {
  id: 4,
  name: 'Alder & Birch',
  status: 'active' as CaseStatus,
  agency_id: 3,
  agency_name: 'An agency',
  escrow_specialist_id: 7,
  escrow_specialist_name: 'Elena Marsh',
  approver_id: null,
  approver_name: null,
  close_due_on: null,
  created_at: new Date(NOW),
  updated_at: new Date(NOW),
};
const BALANCE = { available_cents: 1, held_cents: 2, paid_cents: 3, funded_cents: 4 };
const PEOPLE = [
  { user_id: 5, user_type: 'ip' as const, name: 'Pat Parent' },
  { user_id: 6, user_type: 'surrogate' as const, name: 'Sam Doe' },
];
type CaseView = Parameters<typeof casePage>[1];
const pageOf = (permissions: readonly Permission[], view: Partial<CaseView> = {}, status: CaseStatus = 'active') =>
  tightMarkup(
    casePage(frameOf(permissions), {
      outline: { ...OUTLINE, status } as CaseView['outline'],
      onCase: true,
      isOpen: true,
      people: PEOPLE as CaseView['people'],
      team: [
        { user_id: 7, name: 'Elena Marsh', role_name: 'Escrow' },
        { user_id: 8, name: 'Vera Lindqvist', role_name: null },
      ] as CaseView['team'],
      chains: { data: [], next_cursor: null },
      milestones: [],
      documents: [],
      events: [],
      money: { balance: BALANCE, disbursements: { data: [], next_cursor: null }, payments: { data: [], next_cursor: null } },
      benefits: [],
      done: undefined,
      refused: undefined,
      ...view,
    }),
  );
const partsIn = (page: string) =>
  [...page.matchAll(/<section aria-labelledby="([\w-]+)"/g)]
    .map(([, id]) => id)
    .sort()
    .join(' ');

test('[CASE-2, GUARD-9] each part of a case is shown to those whose role and team allow it', () => {
  const full = 'documents milestones money people talk team';
  const rows: [isOpen: boolean, onCase: boolean, permissions: Permission[], parts: string][] = [
    [true, true, [], full],
    [true, true, ['edit_benefits'], `benefits ${full}`],
    [false, true, [], 'people talk team'],
    [false, true, ['view_drs'], 'money people talk team'],
    [false, true, ['make_payments'], 'money people talk team'],
    [false, true, ['edit_benefits'], 'benefits people talk team'],
    [false, false, ['view_drs', 'make_payments', 'edit_benefits'], 'people talk team'],
  ];
  for (const [isOpen, onCase, permissions, parts] of rows)
    assert.equal(partsIn(pageOf(permissions, { isOpen, onCase })), parts, `${isOpen} ${onCase} ${permissions}`);
  const events = [
    { type: 'a', case_id: 4, case_name: '', agency_name: 'An agency', data: null, received_at: new Date(NOW) },
  ] as never;
  assert.ok(pageOf([], { events }).includes('id="agency-events"'));
  assert.ok(!pageOf([], { events, isOpen: false }).includes('id="agency-events"'));
  const limit = {
    category: 'Travel',
    cap_cents: 5,
    used_cents: 0,
    held_cents: 0,
    left_cents: 5,
    period: 'case',
    note: '',
    compensation: false,
  };
  const seesLimits = (...view: [Permission[], Partial<CaseView>]) =>
    partsIn(pageOf(view[0], { ...view[1], benefits: [limit] as never })).includes('benefits');
  assert.deepEqual(
    [seesLimits([], {}), seesLimits([], { isOpen: false }), seesLimits(['view_drs'], { isOpen: false })],
    [true, false, true],
  );
  assert.equal(seesLimits(['view_drs'], { isOpen: false, onCase: false }), false);
});

test('[CASE-7, GUARD-9] what a case offers depends on the role, and most of it on being on its team', () => {
  const ways = (permissions: readonly Permission[], view: Partial<CaseView> = {}, status?: CaseStatus) =>
    [...pageOf(permissions, view, status).matchAll(/(?:href|action|data-upload)="\/((?:cases\/4|messages\/new|agencies)[^"]*)"/g)]
      .map(([, path = '']) => path.replace('cases/4/', '').replaceAll('&#61;', '='))
      .filter((path) => path !== 'money' && path !== 'agencies');
  const rows: [Permission, string[]][] = [
    ...CASE_EDITORS.map((permission): [Permission, string[]] => {
      return [permission, permission === 'edit_case_details' ? ['edit', 'milestones', 'documents'] : ['edit']];
    }),
    ['create_drs', ['disbursements/new']],
    ['edit_benefits', ['benefits']],
    ['view_messages', ['messages/new?case_id=4']],
    ['view_agencies', ['agencies/3']],
    ['make_payments', []],
    ['view_all_cases', []],
  ];
  for (const [permission, paths] of rows) {
    assert.deepEqual(ways([permission]), paths, permission);
    const outside = permission === 'view_agencies' ? paths : [];
    assert.deepEqual(ways([permission], { onCase: false, isOpen: false }), outside, `${permission}, off the team`);
  }
  for (const status of CASE_STATUSES)
    assert.deepEqual(
      ways(['edit_benefits'], {}, status),
      status === 'closed' || status === 'cancelled' ? [] : ['benefits'],
      status,
    );
});

test('[CASE-4, SHOWN-3, APPROVER-1] a case names who approves, and links people for those who may see them', () => {
  const facts = (outline: Partial<typeof OUTLINE>, people = PEOPLE, permissions: Permission[] = []) => {
    const page = pageOf(permissions, {
      outline: { ...OUTLINE, ...outline } as CaseView['outline'],
      people: people as CaseView['people'],
    });
    return Object.fromEntries(
      [...page.matchAll(/<dt>([^<]+)<\/dt>\s*<dd>([\s\S]*?)<\/dd>/g)].map(([, name = '', value = '']) => [
        name,
        value.replaceAll(/<[^>]+>/g, ''),
      ]),
    );
  };
  assert.equal(facts({ approver_name: 'Ann Approver' } as never)['Approves requests'], 'Ann Approver');
  assert.equal(facts({})['Approves requests'], 'Pat Parent');
  assert.equal(facts({}, PEOPLE.slice(1))['Approves requests'], 'Staff');
  assert.equal(facts({ escrow_specialist_id: null, escrow_specialist_name: null } as never)['Escrow specialist'], 'Nobody');
  assert.deepEqual([facts({}).Agency, facts({ agency_name: null } as never).Agency], ['An agency', undefined]);
  const links = (...permissions: Permission[]) => [...pageOf(permissions).matchAll(/href="\/users\/(\d+)"/g)].map(([, id]) => id);
  assert.deepEqual(links('view_users'), ['7', '5', '6', '8'], 'the escrow specialist is not also on the team');
  assert.deepEqual(links('edit_users'), []);
});

type Edit = Parameters<typeof caseEditPage>[1];
const STAFF = [
  { id: 7, name: 'Elena', role_name: null, may_answer: true, may_approve: true },
  { id: 8, name: 'Vera', role_name: null, may_answer: false, may_approve: false },
  { id: 9, name: 'Tobias', role_name: null, may_answer: true, may_approve: false },
];
const editPageOf = (permissions: readonly Permission[], edit: Partial<Edit> = {}, outline: object = {}) =>
  tightMarkup(
    caseEditPage(frameOf(permissions), {
      outline: { ...OUTLINE, ...outline } as Edit['outline'],
      people: [...PEOPLE, { user_id: 10, user_type: 'ip_rep', name: 'Rae Rep' }] as Edit['people'],
      team: [{ user_id: 9, name: 'Tobias', role_name: null }] as Edit['team'],
      agencies: [],
      staff: STAFF,
      openMoney: [],
      done: undefined,
      refused: undefined,
      ...edit,
    }),
  );

test('[CASE-9, GUARD-9] the page for changes has the forms that the role allows', () => {
  const forms = (...permissions: Permission[]) => [
    ...new Set([...editPageOf(permissions).matchAll(/action="\/cases\/4(\/[\w-]+)?/g)].map(([, path = '']) => path)),
  ];
  assert.deepEqual(forms('edit_case_details'), ['', '/status', '/people']);
  assert.deepEqual(forms('assign_case'), ['/escrow-specialist', '/team']);
  assert.deepEqual(forms('close_case'), ['/close']);
  assert.deepEqual(forms(...CASE_EDITORS), ['', '/status', '/people', '/escrow-specialist', '/team', '/close']);
});

test('[APPROVER-2, CHAIN-15] the people who may be chosen are those whose role allows it, and the one who is chosen now', () => {
  const choices = (name: string, outline: object = {}) => {
    const page = editPageOf(CASE_EDITORS, {}, outline);
    const [select = ''] = new RegExp(`<select[^>]*id="${name}"[\\s\\S]*?</select>`).exec(page) ?? [];
    return [...select.matchAll(/<option value="(\w*)"\s*(selected)?/g)].map(
      ([, id, mark]) => `${id}${mark === undefined ? '' : '*'}`,
    );
  };
  assert.deepEqual(choices('approver_id'), ['', '5', '10', '7']);
  assert.deepEqual(choices('approver_id', { approver_id: 10 }), ['', '5', '10*', '7']);
  assert.deepEqual(choices('approver_id', { approver_id: 8 }), ['', '5', '10', '7', '8*']);
  assert.deepEqual(choices('specialist-id', { escrow_specialist_id: 7 }), ['', '7*', '9']);
  assert.deepEqual(choices('specialist-id', { escrow_specialist_id: 8 }), ['', '7', '8*', '9']);
  assert.deepEqual(choices('team-member-id'), ['7', '8']);
  assert.ok(!choices('user_type').some((type) => type.startsWith('admin')));
});

test('[CASE-5, CASE-6] each state offers its moves, and says what is unfinished where a case could end', () => {
  const openMoney = [{ kind: 'submitted', count: 1, amount_cents: 500 }] as never;
  const shown = (status: CaseStatus) => {
    const page = editPageOf(['close_case', 'edit_case_details'], { openMoney }, { status });
    const ends = [...page.matchAll(/name="status" value="(\w+)"/g)].map(([, to]) => to);
    return [page.includes('id="state"') ? 'open' : '', page.includes('Finish this before') ? 'unfinished' : '', ...ends]
      .filter(Boolean)
      .join(' ');
  };
  assert.deepEqual(Object.fromEntries(CASE_STATUSES.map((status) => [status, shown(status)])), {
    intake: 'open unfinished closing closed cancelled',
    pending_funding: 'open unfinished closing closed cancelled',
    active: 'open unfinished closing closed cancelled',
    on_hold: 'open unfinished closing closed cancelled',
    closing: 'unfinished closed cancelled active',
    closed: 'active',
    cancelled: 'active',
  });
});

test('[PLAN-2, DEPOSIT-1, GUARD-9] money is planned and recorded by the team of an open case, if its role allows', () => {
  const payment = (id: number, status: string) => ({
    id,
    status,
    case_id: 4,
    category: 'Rent',
    description: '',
    due_date: '2027-01-02',
    amount_cents: 5,
    payee: null,
    disbursement_id: null,
    paid_at: null,
  });
  const statement = { caseId: 4, statement: null, requested: {}, problem: undefined };
  const shown = (permissions: Permission[], view: object = {}, status: CaseStatus = 'active') => {
    const page = tightMarkup(
      caseMoneyPage(frameOf(permissions), {
        outline: { ...OUTLINE, status },
        onCase: true,
        balance: BALANCE,
        money: { statement, projection: { data: [], shortfall: null } },
        entries: [],
        payments: [payment(1, 'planned'), payment(2, 'requested'), payment(3, 'paid'), payment(4, 'cancelled')],
        people: [],
        categories: ['Rent', 'Other'],
        done: undefined,
        refused: undefined,
        ...view,
      } as never),
    );
    return [...page.matchAll(/(?:method="post" action|href)="\/cases\/4\/(money|scheduled-payments[^"]*|proofs)"/g)].map(
      ([, path]) => path,
    );
  };
  const plan = ['scheduled-payments/1/cancel', 'scheduled-payments'];
  assert.deepEqual(shown(['make_payments', 'edit_case_details']), ['proofs', 'money', ...plan]);
  assert.deepEqual(shown(['make_payments']), ['proofs', 'money']);
  assert.deepEqual(shown(['edit_case_details']), ['proofs', ...plan]);
  assert.deepEqual(shown([]), ['proofs']);
  assert.deepEqual(shown(['make_payments', 'edit_case_details'], { onCase: false }), []);
  assert.deepEqual(shown(['make_payments', 'edit_case_details'], { money: null }), []);
  for (const status of ['closed', 'cancelled'] as const)
    assert.deepEqual(shown(['edit_case_details'], {}, status), ['proofs', 'scheduled-payments/1/cancel'], status);
});

test('[DEPOSIT-1, DEPOSIT-2, DEPOSIT-5] an entry is confirmed by someone else, and says why it was rejected', () => {
  const entry = {
    id: 9,
    case_id: 4,
    kind: 'deposit',
    amount_cents: 500,
    memo: '',
    status: 'waiting',
    version: 'v',
    is_own: false,
    has_second: true,
    recorded_by_name: 'Felix',
    recorded_at: new Date(NOW),
    decided_by_name: 'Ruth',
    decision_reason: 'Not ours',
  };
  const shown = (more: object, ...permissions: Permission[]) => {
    const page = tightMarkup(cashEntries(frameOf(permissions), [{ ...entry, ...more }] as never, undefined)).replaceAll(
      /\s+/g,
      ' ',
    );
    const forms = [...page.matchAll(/action="\/cases\/4\/money\/9\/(\w+)"/g)].map(([, verb]) => verb);
    const words = [
      'You recorded it',
      'A second person has to confirm it',
      'Nobody can do that',
      'Ruth refused it: Not ours',
      'Take it back',
    ];
    return [/class="money">([^<]+)/.exec(page)?.[1], ...forms, ...words.filter((one) => page.includes(one))];
  };
  assert.deepEqual(shown({}, 'make_payments'), ['+$5.00', 'confirm', 'refuse']);
  assert.deepEqual(shown({ kind: 'refund' }), ['−$5.00', 'A second person has to confirm it']);
  assert.deepEqual(shown({ is_own: true, has_second: false }, 'make_payments'), [
    '+$5.00',
    'refuse',
    'You recorded it',
    'Nobody can do that',
    'Take it back',
  ]);
  assert.deepEqual(shown({ has_second: false }), ['+$5.00', 'A second person has to confirm it', 'Nobody can do that']);
  assert.deepEqual(shown({ status: 'refused' }, 'make_payments'), ['+$5.00', 'Ruth refused it: Not ours']);
});

test('[CASE-8, UPLOAD-10] earlier milestones fold away, and documents are removed by those who may', () => {
  const today = (zone: string) => {
    const view = { milestones: [], refused: undefined };
    const frame = staffFrame({ permissions: ['edit_case_details'], now: '2026-11-24T03:00:00Z', zone });
    const page = tightMarkup(caseMilestones(frame, 4, view));
    return [/name="happened_on"[^>]* value="([^"]+)"/.exec(page)?.[1], /name="happened_on"[^>]* max="([^"]+)"/.exec(page)?.[1]];
  };
  assert.deepEqual(today('UTC'), ['2026-11-24', '2026-11-24']);
  assert.deepEqual(today('America/New_York'), ['2026-11-23', '2026-11-23']);
  const milestone = {
    kind: 'matched',
    happened_on: '2026-01-02',
    note: '',
    funding_required_cents: null,
    created_by: { name: 'Elena' },
  };
  const folded = (count: number) => {
    const page = tightMarkup(
      caseMilestones(frameOf([]), 4, { milestones: Array.from({ length: count }, () => milestone) as never, refused: undefined }),
    );
    assert.equal(page.match(/class="timeline-item/g)?.length, count);
    return /<summary>([^<]+)/.exec(page)?.[1];
  };
  assert.deepEqual([folded(3), folded(4)], [undefined, '2 earlier milestones']);

  const document = {
    id: 8,
    case_id: 4,
    can_delete: true,
    filename: 'a.pdf',
    size: 5,
    url: '/a',
    uploaded_by: { name: 'Pat' },
    created_at: new Date(NOW),
  };
  const shown = (more: object, ...permissions: Permission[]) => {
    const page = tightMarkup(caseDocuments(frameOf(permissions), 4, [{ ...document, ...more }] as never));
    return ['href="/a"', 'Being checked', '/documents/8/remove', 'data-upload="/cases/4/documents"'].filter((part) =>
      page.includes(part),
    ).length;
  };
  assert.equal(shown({}, 'edit_case_details'), 3);
  assert.equal(shown({ can_delete: false }, 'edit_case_details'), 2);
  assert.equal(shown({ url: null }), 1);
  assert.equal(shown({}), 1);
});
