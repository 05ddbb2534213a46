/** What people of the demo write to each other. */

export type Role = 'parent' | 'parent2' | 'surrogate' | 'manager' | 'owner' | 'specialist';

/** Who, what, and how many hours after the first message. */
type Line = readonly [from: Role, text: string, hours?: number];

export interface Conversation {
  /** The number of the case. */
  of: number;
  subject: string;
  /** Besides staff. */
  members: readonly Exclude<Role, 'specialist'>[];
  /** Days before now of its first message. */
  days: number;
  lines: readonly Line[];
  /** How many of the last messages nobody has opened. */
  unread?: number;
  isClosed?: true;
  /** A file with one of the messages, counted from 0. */
  file?: { line: number; kind: 'receipt' | 'agreement' | 'booking' };
}
