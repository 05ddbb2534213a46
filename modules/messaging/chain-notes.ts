import { createHash } from 'node:crypto';
import type { Database, Executor } from '@case-platform/lib/database';
import { ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { writeOnce } from '@case-platform/lib/idempotency';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import { parseText } from '@case-platform/lib/text/typed-text';
import { fullName, type User } from '@case-platform/modules/accounts';
import { NOTE_MAX } from '@case-platform/words/limits';
import { chainIsVisible } from './chain-access.ts';
import { announce } from './chain-events.ts';

/** A note of staff about a chain. Other people see neither the note nor that it exists. */
export interface ChainNote {
  id: number;
  chain_id: number;
  author_id: number;
  author_name: string;
  note: string;
  created_at: Date;
}

/** A chain's notes are read at once, up to this many of the newest. */
const NOTES_MAX = 500;

const COLUMNS = sql`n.id, n.chain_id, n.author_id, n.note, n.created_at,
  ${fullName(sql`u`)} as author_name`;

/**
 * The notes of a chain, oldest first.
 * @throws {ForbiddenError} for a non-admin. @throws {NotFoundError} for a chain that this admin does not see.
 */
export async function listNotes(db: Executor, admin: User, chainId: number): Promise<ChainNote[]> {
  await requireVisibleChain(db, admin, chainId);
  const notes = await query<ChainNote>(
    db,
    sql`select ${COLUMNS} from chain_note n join user_account u on u.id = n.author_id
         where n.chain_id = ${chainId} order by n.id desc ${limitTo(NOTES_MAX)}`,
  );
  return notes.reverse();
}

/**
 * Adds a note. It notifies no one.
 * @throws as `listNotes`, and {InvalidInputError} for a note that is empty or has more than 10,000 characters.
 */
export async function addNote(
  db: Database,
  admin: User,
  chainId: number,
  { note: text, idempotencyKey: key }: { note: string; idempotencyKey?: string | undefined },
): Promise<ChainNote> {
  const note = parseText(text, { field: 'note', label: 'A note', max: NOTE_MAX, empty: 'Write a note.' });
  await requireVisibleChain(db, admin, chainId);
  const hashRequest = () =>
    createHash('sha256')
      .update(JSON.stringify(['note', chainId, note]))
      .digest();
  const { id } = await writeOnce(db, { userId: admin.id, key, hashRequest }, async (tx) => {
    const [row] = await query<{ id: number }>(
      tx,
      sql`insert into chain_note (chain_id, author_id, note) values (${chainId}, ${admin.id}, ${note}) returning id`,
    );
    if (row === undefined) throw new NotFoundError();
    await announce(tx, { kind: 'note', chain_id: chainId });
    return row;
  });
  const [written] = await query<ChainNote>(
    db,
    sql`select ${COLUMNS} from chain_note n join user_account u on u.id = n.author_id where n.id = ${id}`,
  );
  if (written === undefined) throw new NotFoundError();
  return written;
}

async function requireVisibleChain(db: Executor, admin: User, chainId: number): Promise<void> {
  if (admin.user_type !== 'admin') throw new ForbiddenError('Notes are for staff.');
  const chains = await query(db, sql`select from message_chain c where c.id = ${chainId} and ${chainIsVisible(admin)}`);
  if (chains.length === 0) throw new NotFoundError();
}
