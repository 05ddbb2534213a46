import { isIP } from 'node:net';
import { type Executor, run } from '@case-platform/lib/database';
import type { Visitor } from './sign-in.ts';

export type Layer = 'api' | 'admin';

/** A completed sign-in, as shown to its owner. */
export interface SignInRecord {
  id: number;
  layer: Layer;
  ip_address: string | null;
  user_agent: string;
  signed_in_at: Date;
}

const USER_AGENT_MAX = 400;

/** Notes a completed sign-in. */
export async function recordSignIn(
  db: Executor,
  userId: number,
  layer: Layer,
  visitor: Visitor,
  now: Date,
): Promise<void> {
  await run(
    db,
    'insert into sign_in (user_id, layer, ip_address, user_agent, signed_in_at) values ($1, $2, $3, $4, $5)',
    [userId, layer, isIP(visitor.ip) === 0 ? null : visitor.ip, visitor.user_agent.slice(0, USER_AGENT_MAX), now],
  );
}

/** The last sign-ins of an account, newest first. */
export async function listSignIns(db: Executor, userId: number, limit = 10): Promise<SignInRecord[]> {
  return run<SignInRecord>(
    db,
    `select id, layer, host(ip_address) as ip_address, user_agent, signed_in_at
       from sign_in where user_id = $1 order by id desc limit $2`,
    [userId, limit],
  );
}
