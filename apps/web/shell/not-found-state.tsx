import { Compass } from 'lucide-react';
import { Link } from '../look/link.tsx';

/** For addresses that lead nowhere, and for things that this person may not see. */
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
