export { type CaseActivity, listCaseActivity } from './case-activity.ts';
export { addNote, type ChainNote, listNotes, NOTE_MAX } from './chain-notes.ts';
export { countDuties, DUTIES_MAX, type Duties } from './count-duties.ts';
export { countUnassigned } from './count-unassigned.ts';
export { countUnread, type UnreadCount } from './count-unread.ts';
export { findSnippets, type SnippetPart } from './find-snippets.ts';
export { leaveChainsOfCase, removeFromChain } from './leave-chains.ts';
export {
  type Chain,
  type ChainFilter,
  type ChainParticipant,
  findChain,
  listChains,
  type Page,
} from './list-chains.ts';
export { getMessage, listMessages, type Message, type MessageFile } from './list-messages.ts';
export { listRecipients } from './list-recipients.ts';
export { announce } from './live/chain-events.ts';
export { type LiveEvent, LiveUpdates } from './live/live-updates.ts';
export { sayWriting } from './live/say-writing.ts';
export { emailGathered, emailMessage } from './mail-messages.ts';
export { markUnread, markViewed } from './mark-viewed.ts';
export { pushMessage } from './notify-message.ts';
export { removeFromCase } from './remove-from-case.ts';
export { retractMessage } from './retract-message.ts';
export { type ChainMember, type MessageRoute, routeMessage } from './route-message.ts';
export {
  type MessagingContext,
  type NewChain,
  type OutgoingMessage,
  replyToChain,
  type SentMessage,
  startChain,
} from './send-message.ts';
export type { IncomingFile } from './store-attachments.ts';
export { type ChainChange, updateChain } from './update-chain.ts';
