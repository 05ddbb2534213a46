import type { Home } from '../api/api-shapes.ts';
import { DecisionList } from '../disbursements/decision/decision-list.tsx';
import { Link } from '../look/link.tsx';
import type { Me } from '../session/session-shapes.ts';

interface Props {
  decisions: Home['decisions'];
  me: Me;
  /** True if the reader has several cases, so that each request names its own. */
  nameCases: boolean;
}

/**
 * The requests that the reader can decide about right here. It is rendered without any too, so that decisions made here stay
 * visible after the last one; the style sheet hides its title then.
 */
export function Decisions({ decisions, me, nameCases }: Props) {
  return (
    <section className="decisions">
      <h2 className="section-title">
        Waiting for your approval
        <Link className="link" href="/disbursements">
          All requests
        </Link>
      </h2>
      <DecisionList decisions={decisions} me={me} nameCases={nameCases} />
    </section>
  );
}
