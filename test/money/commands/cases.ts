import { fromApiUserType } from '@case-platform/words/user-types';
import { CAST } from '../../support/cast.ts';
import { pdfText } from '../../support/pdf-text.ts';
import { findIds, type MoneyWorld } from '../money-world.ts';
import { AMOUNTS, CATEGORIES, type Command, dollars, type Send } from './command.ts';

/** Commands about a case's plans, contract limits, proofs, approver, and people. */
export const CASES: Record<string, Command> = {
  'plan a payment': { weight: 2, prepare: plan },
  'strike out a planned payment': { weight: 1, prepare: strikeOut },
  'set a benefit': { weight: 3, prepare: setBenefit },
  'name an approver': { weight: 1, prepare: nameApprover },
  'take somebody off a case': { weight: 1, prepare: takeOff },
  'bring somebody back': { weight: 5, prepare: bringBack },
  'prove the funds': { weight: 2, prepare: prove },
  'close or reopen a case': { weight: 1, prepare: closeOrReopen },
};
const EDITORS = ['root', 'escrow'];

async function plan(world: MoneyWorld): Promise<Send> {
  const { staff, pick, random, once, payees } = world;
  const caseId = world.pickCase();
  const who = world.who(staff, EDITORS);
  const page = await who.get(`/cases/${caseId}/money`);
  const day = new Date(world.now().getTime() + (random(200) - 40) * 86_400_000);
  const fields = {
    category: pick(CATEGORIES),
    description: '',
    amount: dollars(pick(AMOUNTS)),
    due_date: day.toISOString().slice(0, 10),
    payee_id: once(2) ? '' : String(pick(payees).user_id),
  };
  return () => world.fill(who, page, `/cases/${caseId}/scheduled-payments`, fields);
}

async function strikeOut(world: MoneyWorld): Promise<Send | null> {
  const caseId = world.pickCase();
  const ids = await findIds(world.pool, 'select id from scheduled_payment where case_id = $1', [caseId]);
  if (ids.length === 0) return null;
  const who = world.who(world.staff, EDITORS);
  const page = await who.get(`/cases/${caseId}/money`);
  const path = `/cases/${caseId}/scheduled-payments/${world.pick(ids)}/cancel`;
  return () => world.fill(who, page, path);
}

async function setBenefit(world: MoneyWorld): Promise<Send> {
  const { staff, pick } = world;
  const path = `/cases/${world.pickCase()}`;
  const who = world.who(staff, EDITORS);
  const page = await who.get(path);
  const fields = {
    category: pick(CATEGORIES),
    cap: dollars(pick(AMOUNTS.slice(0, 4))),
    period: pick(['case', 'month']),
    note: '',
  };
  const action = pick(['', '', '/change', '/remove']);
  return () => world.fill(who, page, `${path}/benefits${action}`, fields);
}

async function nameApprover(world: MoneyWorld): Promise<Send> {
  const { staff, pool, pick, people } = world;
  const caseId = world.pickCase();
  const who = world.who(staff, EDITORS);
  const page = await who.get(`/cases/${caseId}/edit`);
  const { rows } = await pool.query('select name, agency_id from case_file where id = $1', [caseId]);
  const [admin] = await findIds(pool, `select id from user_account where email_address = $1`, [CAST.root.email_address]);
  const approver_id = String(pick(['', people.parent2.userId, people.rep.userId, people.surrogate.userId, admin ?? '']));
  const fields = { name: rows[0].name, agency_id: String(rows[0].agency_id ?? ''), approver_id, close_due_on: '' };
  return () => world.fill(who, page, `/cases/${caseId}`, fields);
}

async function takeOff(world: MoneyWorld): Promise<Send> {
  const { staff, people, pick } = world;
  const caseId = world.pickCase();
  const who = world.who(staff, EDITORS);
  const page = await who.get(`/cases/${caseId}/edit`);
  const { userId } = pick(Object.values(people));
  return () => world.fill(who, page, `/cases/${caseId}/people/${userId}/remove`);
}

async function bringBack(world: MoneyWorld): Promise<Send | null> {
  const { staff, people, pool, pick } = world;
  const { rows } = await pool.query<{ case_id: string; user_id: string }>(
    `select distinct p.case_id, p.user_id from case_participant p where p.left_at is not null and not exists (
       select from case_participant n where n.case_id = p.case_id and n.user_id = p.user_id and n.left_at is null)`,
  );
  if (rows.length === 0) return null;
  const { case_id, user_id } = pick(rows);
  const [name] = (Object.keys(people) as (keyof typeof people)[]).filter((one) => people[one].userId === Number(user_id));
  if (name === undefined) return null;
  const who = world.who(staff, EDITORS);
  const page = await who.get(`/cases/${case_id}/edit`);
  const { email_address, user_type } = CAST[name];
  const fields = { email_address, user_type: fromApiUserType(user_type) ?? '' };
  return () => world.fill(who, page, `/cases/${case_id}/people`, fields);
}

/** Most of these are rejected, because the cases have money. */
async function closeOrReopen(world: MoneyWorld): Promise<Send> {
  const path = `/cases/${world.pickCase()}`;
  const who = world.who(world.staff, ['root']);
  const status = world.pick(['closed', 'active', 'active']);
  return () => world.post(who, `${path}/close`, { status });
}

/** Gets a proof of funds, whose code is checked from then on. */
async function prove(world: MoneyWorld): Promise<Send> {
  const caseId = world.pickCase();
  const { baseUrl, token } = world.who(world.people, ['parent', 'owner', 'bothParent']);
  return async () => {
    const url = `${baseUrl}/api/cases/${caseId}/proof-of-funds`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const file = Buffer.from(await answer.arrayBuffer());
    if (answer.status === 200) {
      const [code = ''] = /^(?:[0-9A-Z]{4}-){4,}[0-9A-Z]{1,4}$/m.exec(pdfText(file)) ?? [];
      world.proofs.push({ caseId, code, madeAt: world.now() });
    }
    return answer.status;
  };
}
