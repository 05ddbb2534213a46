import { Compass } from 'lucide-react';
import { Link } from '../look/link.tsx';

/** Shown for unknown addresses and for things that the reader may not see (ERROR-2). */
export function NotFoundState() {
  return (
    <div className="empty-state min-h-[70dvh]">
      <Compass aria-hidden="true" />
      <h1 className="text-title font-semibold">We can’t find this page</h1>
      <p>It may have moved, or it belongs to a case you’re not on.</p>
      <Link className="btn btn-primary mt-3" href="/">
        Go to the home page
      </Link>
    </div>
  );
}
