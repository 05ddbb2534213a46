import type { Metadata } from 'next';

export { NewMessagePage as default } from '../../../../messages/compose/new-message-page.tsx';

export const metadata: Metadata = { title: 'Write a message' };
