import { MessageCircleOff } from 'lucide-react';
import { Link } from '../../../../look/link.tsx';

/** A chain that does not exist, or that this person is not part of: the two look the same. */
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
