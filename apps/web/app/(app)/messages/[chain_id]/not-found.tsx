import { MessageCircleOff } from 'lucide-react';
import { Link } from '../../../../look/link.tsx';

/** Shown both for a chain that does not exist and for one that this person may not see (ERROR-2). */
export default function ChainNotFound() {
  return (
    <div className="empty-state flex-1">
      <MessageCircleOff aria-hidden="true" />
      <h1 className="text-title font-semibold">We can’t find this conversation</h1>
      <p>It may be between other people. If you expected to see it, ask your escrow specialist.</p>
      <Link className="btn" href="/messages">
        See all messages
      </Link>
    </div>
  );
}
