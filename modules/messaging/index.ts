export { announceMessage } from './announce-message.ts';
export { type CaseActivity, listCaseActivity } from './case-activity.ts';
export { chainIsVisible } from './chain-access.ts';
export {
  type Announcement,
  announce,
  type CaseAnnouncement,
  type CaseChange,
  type ChainAnnouncement,
  type ChainEvent,
  type WritingKind,
} from './chain-events.ts';
export { addNote, type ChainNote, listNotes } from './chain-notes.ts';
export { findOwnerProblem, type OwnerProblem } from './chain-owner.ts';
export { countDuties, DUTIES_MAX, type Duties } from './count-duties.ts';
export { countUnassigned } from './count-unassigned.ts';
export { countUnread, countUnreadOfMany, type UnreadCount } from './count-unread.ts';
export { findCrossingReply } from './crossing-reply.ts';
export type { SentMessage } from './earlier-message.ts';
export { findChainAudiences } from './find-chain-audiences.ts';
export { leaveChainsOfCase, leaveChainsOfOtherAgencies, removeFromChain } from './leave-chains.ts';
export { type Chain, type ChainParticipant, findChain, getChain, listChains, type Page } from './list-chains.ts';
export { getMessage, listMessages, type Message, type MessageFile, readSharedMessages } from './list-messages.ts';
export { listRecipients } from './list-recipients.ts';
export { emailGathered } from './mail-messages.ts';
export { markUnread, markViewed } from './mark-viewed.ts';
export { mayStillRead } from './message-recipients.ts';
export { reassignChains, reassignStartedChains } from './reassign-chains.ts';
export { removeFromCase } from './remove-from-case.ts';
export { retractMessage } from './retract-message.ts';
export { routeMessage } from './route-message.ts';
export { findSnippets, markSearch, type SnippetPart } from './search/find-snippets.ts';
export { findSearchProblem } from './search/parse-search.ts';
export { SEARCHED_CONVERSATIONS } from './search/searched-tables.ts';
export { type MessagingContext, parseMessageText, replyToChain } from './send-message.ts';
export { startChain } from './start-chain.ts';
export type { IncomingFile } from './store-attachments.ts';
export { updateChain } from './update-chain.ts';
