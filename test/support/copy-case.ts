import type { TestDatabase } from './database.ts';

/** Creates a case with the people, agency, staff, and contract limits of another one, and without its history. */
export async function copyCase({ pool }: Pick<TestDatabase, 'pool'>, caseId: number): Promise<number> {
  const { rows } = await pool.query(
    `with made as (
       insert into case_file (name, status, agency_id, escrow_specialist_id, approver_id)
       select name || ' again', 'active', agency_id, escrow_specialist_id, approver_id from case_file where id = $1
       returning id
     ), people as (
       insert into case_participant (case_id, user_id, position)
       select made.id, user_id, position from made, case_participant where case_id = $1 and left_at is null
     ), benefits as (
       insert into case_benefit (case_id, category, period, cap_cents, note, compensation)
       select made.id, category, period, cap_cents, note, compensation from made, case_benefit where case_id = $1
     )
     select id::int from made`,
    [caseId],
  );
  return rows[0].id;
}
