import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from '../look/link.tsx';

interface Part {
  words: string;
  amount: string;
  /** Set for a part that needs a person. */
  isShort?: boolean;
  /** Set for a part that is not counted, with a line above it. */
  isApart?: boolean;
}

interface Props {
  title: string;
  amount: string;
  note: ReactNode;
  parts: readonly Part[];
  more: { href: string; words: string };
}

/** The one number that leads the page. It opens to its parts, which a wide screen always shows. */
export function LeadNumber({ title, amount, note, parts, more }: Props) {
  return (
    <section className="home-number panel" aria-label={title}>
      <details>
        <summary>
          <span className="quiet col-start-1">{title}</span>
          <ChevronDown className="home-opens quiet col-start-2 row-span-2 row-start-1 size-5" aria-hidden="true" />
          <span className="money col-start-1 text-left text-3xl font-semibold tracking-tight">{amount}</span>
          {note !== null && <span className="quiet col-span-full mt-0.5 text-small">{note}</span>}
        </summary>
        <dl className="px-4 pb-2 text-small">
          {parts.map(({ words, amount: cents, isShort = false, isApart = false }) => (
            <div key={words} className={`home-part ${isApart ? 'mt-1 border-t border-(--hairline)' : ''}`}>
              <dt className={isShort ? 'over-benefit' : 'quiet'}>{words}</dt>
              <dd className={`money ${isShort ? 'over-benefit' : ''}`}>{cents}</dd>
            </div>
          ))}
        </dl>
      </details>
      <p className="border-t border-(--hairline) px-4 py-2.5 text-small">
        <Link className="link" href={more.href}>
          {more.words}
        </Link>
      </p>
    </section>
  );
}
