import type pg from 'pg';

const NAME = 'pooler_probe';
/** The pooler forwarded our name to a server that does not know it, or that already knows it from another client. */
const NAME_FAILED = /^(26000|42P05)$/;

/**
 * A named statement that asks the server under which names it has this very statement. A pooler that tracks named statements
 * prepares them under names of its own (PgBouncer since 1.21: `PGBOUNCER_1`), because clients choose the same names. Any other
 * pooler passes our name on, or drops it. Neither the pooler's version nor its admin console can be read over this connection,
 * and in 1.21 tracking is off unless `max_prepared_statements` is set. All clients use the same name and text, so a probe leaves
 * at most one statement on each server connection.
 */
export const TRACKING_PROBE: pg.QueryConfig = {
  name: NAME,
  text: `select /* ${NAME} */ coalesce(bool_and(name <> '${NAME}'), false) as tracked
           from pg_prepared_statements where starts_with(statement, 'select /* ${NAME} */')`,
};

/** True if the answer to the probe shows that the pooler tracks named statements. */
export async function tracksStatements(answer: Promise<pg.QueryResult>): Promise<boolean> {
  try {
    return (await answer).rows[0]?.tracked === true;
  } catch (error) {
    // The server knows the name from an earlier probe, so it was passed on.
    if (isUntrackedName(error)) return false;
    throw error;
  }
}

/** True when a name that was passed on failed: the pooler does not track names, or has stopped, for example after `RELOAD`. */
export function isUntrackedName(error: unknown): boolean {
  return NAME_FAILED.test(String((error as { code?: string } | undefined)?.code));
}
