import assert from 'node:assert/strict';
import { CAST, type CastName } from '../../support/cast.ts';
import { type Answer, startApi, type TestApi } from '../../support/platform.ts';
import { type Page, roleChoice, startAdmin, type TestAdmin, type Visitor } from '../start-admin.ts';

/** A password that the rules accept. */
export const GOOD = 'Harbour-Lantern-42';

const PERSON = { first_name: 'New', last_name: 'Person', phone: '', agency_id: '', admin_role_id: '' };
const SHORT: Record<string, string> = {
  intended_parent: 'ip',
  case_manager: 'cm',
  agency_owner: 'owner',
  ip_company: 'ip_rep',
};

interface PersonRow {
  email_address: string;
  user_type: string;
  first_name: string;
  last_name: string;
  status: string;
  password_hash: string | null;
  phone: string | null;
  agency_id: number | null;
  admin_role_id: number | null;
}

interface Entry {
  action: string;
  actor_id: number;
  layer: string;
  subject_label: string;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/** Two members of staff who look after people: root has every permission, and the desk edits people but manages no roles. */
export class PeopleDesk {
  readonly api: TestApi;
  readonly admin: TestAdmin;
  readonly root: Visitor;
  readonly desk: Visitor;

  static async start(now: () => Date): Promise<PeopleDesk> {
    const api = await startApi({ now });
    const admin = await startAdmin({ database: api, storage: api.storage, now });
    await api.pool.query(`insert into admin_role (name) values ('People desk')`);
    await api.pool.query(
      `insert into admin_role_permission
       select r.id, p from admin_role r, unnest(array['view_users', 'edit_users']) p where r.name = 'People desk'`,
    );
    await api.pool.query(
      `update user_account set admin_role_id = (select id from admin_role where name = 'People desk')
        where email_address = 'finance@demo.test'`,
    );
    return new PeopleDesk(api, admin, await admin.as('root'), await admin.as('finance'));
  }

  private constructor(api: TestApi, admin: TestAdmin, root: Visitor, desk: Visitor) {
    this.api = api;
    this.admin = admin;
    this.root = root;
    this.desk = desk;
  }

  async one<Row>(sql: string, parameters: unknown[] = []): Promise<Row> {
    const { rows } = await this.api.pool.query(sql, parameters);
    assert.equal(rows.length, 1, sql);
    return rows[0];
  }

  async roleId(name: string): Promise<number> {
    return (await this.one<{ id: number }>('select id from admin_role where name = $1', [name])).id;
  }

  async idOf(name: CastName | 'totpAdmin'): Promise<number> {
    const { email_address, user_type } =
      name === 'totpAdmin' ? { email_address: 'totp-admin@demo.test', user_type: 'admin' } : CAST[name];
    const sql = 'select id from user_account where email_address = $1 and user_type = $2';
    return (await this.one<{ id: number }>(sql, [email_address, SHORT[user_type] ?? user_type])).id;
  }

  recordOf(id: number): Promise<PersonRow> {
    return this.one<PersonRow>('select * from user_account where id = $1', [id]);
  }

  /** Returns the entries of the audit log about a person. */
  async entriesOf(id: number): Promise<Entry[]> {
    const { rows } = await this.api.pool.query(
      `select action, actor_id, layer, subject_label, before, after from audit_entry
        where subject_type = 'user' and subject_id = $1 order by id`,
      [id],
    );
    return rows;
  }

  /** Reads everything that a change of people could write, for comparison. */
  written(): Promise<unknown> {
    return this.one(
      `select (select count(*) from user_account) as people, (select count(*) from audit_entry) as entries,
              (select count(*) from password_reset) as links, (select count(*) from delivery) as mails,
              (select md5(string_agg(u::text, '' order by id)) from user_account u) as records`,
    );
  }

  /** Sends the invitation form, by default for an intended parent. A role is sent as the form shows it. */
  async invite({ admin_role_id = '', ...fields }: Record<string, string>, who = this.root): Promise<Page> {
    const role = admin_role_id === '' ? '' : roleChoice(await who.get('/users/new'), admin_role_id);
    return who.post('/users', { ...PERSON, user_type: 'ip', ...fields, admin_role_id: role });
  }

  /** Invites someone. @returns the id of the record. */
  async invited(fields: Record<string, string>, who = this.root): Promise<number> {
    const page = await this.invite(fields, who);
    assert.equal(page.status, 303, page.text);
    return Number(/^\/users\/(\d+)\?done=invited$/.exec(page.location ?? '')?.[1]);
  }

  /** Sends a record's form with some fields changed. */
  async edit(id: number, fields: Record<string, string>, who = this.root): Promise<Page> {
    const { email_address, first_name, last_name, phone, agency_id } = await this.recordOf(id);
    const present = { email_address, first_name, last_name, phone: phone ?? '', agency_id: String(agency_id ?? '') };
    return who.post(`/users/${id}`, { ...present, ...fields });
  }

  /** Runs the queue and returns the mails to a person about an event. */
  async mailsTo(userId: number, event: string): Promise<{ recipient: string; text: string | null; state: string }[]> {
    await this.api.work();
    const { rows } = await this.api.pool.query(
      `select recipient, state, content->>'text' as text from delivery where user_id = $1 and event = $2 order by id`,
      [userId, event],
    );
    return rows;
  }

  /** Returns the token in the last mail about an event. */
  async lastToken(userId: number, event = 'invitation'): Promise<string> {
    return /token=([\w-]+)/.exec((await this.mailsTo(userId, event)).at(-1)?.text ?? '')?.[1] ?? '';
  }

  /** Sets a password with the token of a mail. */
  accept(token: string, pass_hash = GOOD): Promise<Answer> {
    return this.api.anonymous.post('/api/user/auth/password-reset/confirm', { token, pass_hash });
  }

  requestReset(email_address: string, user_type: string): Promise<Answer> {
    return this.api.anonymous.post('/api/user/auth/password-reset/request', { email_address, user_type });
  }

  login(email_address: string, user_type: string, pass_hash = GOOD): Promise<Answer> {
    return this.api.anonymous.post('/api/user/auth/login', { email_address, user_type, pass_hash });
  }
}
