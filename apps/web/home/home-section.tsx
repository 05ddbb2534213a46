import type { ReactNode } from 'react';
import { Link } from '../look/link.tsx';

interface Props {
  title: string;
  /** Where there is more of it. */
  more?: { href: string; words: string };
  children: ReactNode;
}

/** A part of the home page under its heading. */
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
