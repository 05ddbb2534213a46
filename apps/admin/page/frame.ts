import { countUnread } from '@case-platform/modules/messaging';
import type { FastifyRequest } from 'fastify';
import type { AdminContext } from '../context.ts';
import type { Actor } from '../guards/visitors.ts';
import { type Preferences, readPreferences } from './preferences.ts';

/** Everything that a page for someone who is signed in needs. */
export interface Frame<Who extends Actor = Actor> {
  actor: Who;
  /** How many messages the reader has not read; none for staff who read no messages. */
  unread: number;
  preferences: Preferences;
  /** The reader's clock. */
  clock: { zone: string; now: Date };
  /** The requested path, without its query. */
  path: string;
  webUrl: string;
}

/** Reads what the frame of a page shows: the unread count and the reader's preferences. */
export async function readFrame<Who extends Actor>(
  { db, config, now }: AdminContext,
  request: FastifyRequest,
  actor: Who,
): Promise<Frame<Who>> {
  const preferences = readPreferences(request);
  const reads = actor.admin === null || actor.admin.can('view_messages');
  const { unread_count } = reads ? await countUnread(db, actor.user) : { unread_count: 0 };
  return {
    actor,
    unread: unread_count,
    preferences,
    clock: { zone: preferences.zone, now: now() },
    path: request.url.split('?', 1)[0] ?? '/',
    webUrl: config.webUrl,
  };
}
