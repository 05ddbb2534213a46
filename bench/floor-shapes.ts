import { type ApiUserType, toApiUserType, type UserType } from '@case-platform/words/user-types';

/**
 * Makes the API's answers from rows by hand, for the floor. `npm run bench` compares both answers before it measures, and reports
 * when they differ. This file must then be adapted to the API.
 */
export const SHAPES = {
  /** For a route that only answers that it went well. */
  none: (): unknown => ({}),
  counts: (rows: Row[]): unknown => rows[0],
  chains: (rows: Row[]): unknown => {
    const page = rows.slice(0, PAGE);
    const last = page.at(-1)?.last_message_id;
    const next_cursor = rows.length > PAGE ? Buffer.from(`before:${last}`).toString('base64url') : null;
    return { data: page.map(toChain), next_cursor };
  },
  message: (rows: Row[]): unknown => ({ message: rows.map(toMessage)[0] }),
  /** The API runs both statements at once, so either may be recorded first. */
  thread: (_: Row[], results: Row[][]): unknown => {
    const chain = results.find(([row]) => row !== undefined && 'participants' in row);
    const rows = results.findLast((others) => others !== chain) ?? [];
    const page = rows.slice(0, PAGE);
    const next_cursor = rows.length > PAGE ? Buffer.from(`before:${page.at(-1)?.id}`).toString('base64url') : null;
    return { chain: chain?.map(toChain)[0], messages: { data: page.map(toMessage), next_cursor } };
  },
};

export type ShapeName = keyof typeof SHAPES;
// biome-ignore lint/suspicious/noExplicitAny: a row has whatever columns the recorded statement selects.
type Row = Record<string, any>;

/** The number of rows of a page without a `limit`. */
const PAGE = 25;

/** A search adds columns about its step. */
function toChain({ step_last, step_count, are_many, ...row }: Row): unknown {
  const { last_message_id, last_preview, last_from_type, last_from_id, last_created_at, ...chain } = row;
  return {
    ...chain,
    participants: chain.participants.map((person: Row) => ({ ...person, user_type: toApi(person.user_type) })),
    last_message: {
      id: last_message_id,
      preview: last_preview,
      from_type: toApi(last_from_type),
      from_id: last_from_id,
      created_at: last_created_at,
    },
  };
}

function toMessage(row: Row): unknown {
  return { ...row, from_type: toApi(row.from_type), to_type: row.to_type === null ? null : toApi(row.to_type) };
}

function toApi(type: UserType): ApiUserType {
  return toApiUserType(type);
}
