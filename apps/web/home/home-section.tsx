import type { ReactNode } from 'react';
import { Link } from '../look/link.tsx';

interface Props {
  title: string;
  /** A link to the page with the whole list. */
  more?: { href: string; words: string };
  children: ReactNode;
}

export function HomeSection({ title, more, children }: Props) {
  return (
    <section>
      <h2 className="section-title">
        {title}
        {more !== undefined && (
          <Link className="link" href={more.href}>
            {more.words}
          </Link>
        )}
      </h2>
      {children}
    </section>
  );
}
