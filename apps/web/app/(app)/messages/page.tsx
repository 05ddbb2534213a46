import { MessageCircleHeart } from 'lucide-react';
import type { Metadata } from 'next';
import { Link } from '../../../look/link.tsx';
import { requireMe } from '../../../session/session.ts';

export const metadata: Metadata = { title: 'Messages' };

/** Shown beside the list on wide screens until a chain is chosen. A phone shows only the list. */
export default async function MessagesPage() {
  await requireMe();
  return (
    <div className="empty-state flex-1">
      <MessageCircleHeart aria-hidden="true" />
      <h2>Choose a conversation</h2>
      <p>Or write a new message to your escrow specialist or someone on your case.</p>
      <Link className="btn" href="/messages/new">
        Write a message
      </Link>
    </div>
  );
}
