export { failureWords, maySeeContacts, recipientPart } from './contact-parts.ts';
export { userStateWords } from './user-words.ts';
