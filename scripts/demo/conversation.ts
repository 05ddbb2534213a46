/** The conversations between people of the demo. */

export type Role = 'parent' | 'parent2' | 'surrogate' | 'manager' | 'owner' | 'specialist';

/** The sender, the text, and the hours after the first message. */
type Line = readonly [from: Role, text: string, hours?: number];

export interface Conversation {
  /** The number of the case, starting at 1. */
  of: number;
  subject: string;
  /** The members who are not staff. */
  members: readonly Exclude<Role, 'specialist'>[];
  /** Days between the first message and now. */
  days: number;
  lines: readonly Line[];
  /** The number of messages at the end that no one has opened. */
  unread?: number;
  isClosed?: true;
  /** A file attached to the message at index `line`. */
  file?: { line: number; kind: 'receipt' | 'agreement' | 'booking' };
}
