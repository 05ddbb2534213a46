'use client';

import { roleInText } from '@case-platform/words/user-types';
import { useRef, useState } from 'react';
import { apiBrowser } from '../api/api-browser.ts';
import { errorMessage } from '../api/api-error.ts';
import type { CaseEvent, Page } from '../api/api-shapes.ts';
import { Time } from '../look/clock.tsx';
import { Link } from '../look/link.tsx';
import { createPageList, listEntries, type PageList, withEarlier, withNewest } from '../look/page-list.ts';

const KINDS = [
  { kind: '', words: 'Everything' },
  { kind: 'request', words: 'Requests' },
  { kind: 'money', words: 'Paid in' },
  { kind: 'document', words: 'Documents' },
  { kind: 'message', words: 'Messages' },
  { kind: 'milestone', words: 'Milestones' },
  { kind: 'status', words: 'States' },
  { kind: 'person', words: 'People' },
] as const;
type Kind = (typeof KINDS)[number]['kind'];

interface Props {
  caseId: number;
  /** The first page, which the server renders again when something happens in the case. */
  initial: Page<CaseEvent>;
}

/** The timeline of a case, newest first, with a link for each event (TIMELINE-1). */
export function CaseActivity({ caseId, initial }: Props) {
  const [kind, setKind] = useState<Kind>('');
  const [listState, setList] = useState(() => createPageList(initial));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  const list = listState.newest === initial ? listState : withNewest(listState, initial, keyOf);
  if (list !== listState) setList(list);
  const events = listEntries(list, keyOf).filter((event) => kind === '' || event.kind === kind);

  /** Cancels the request that is still running, so that its answer cannot replace a newer one. */
  const begin = () => {
    running.current?.abort();
    running.current = new AbortController();
    setBusy(false);
    setProblem(null);
    return running.current;
  };
  const load = async (kindToLoad: Kind, { next }: PageList<CaseEvent>) => {
    const controller = begin();
    if (next === null) return;
    const query = new URLSearchParams({ limit: '25', ...(kindToLoad && { kind: kindToLoad }), cursor: next });
    setBusy(true);
    try {
      const { signal } = controller;
      const page = await apiBrowser<Page<CaseEvent>>(`/api/cases/${caseId}/timeline?${query}`, { signal });
      if (running.current === controller) setList((before) => withEarlier(before, next, page));
    } catch (error) {
      if (running.current === controller) setProblem(errorMessage(error));
    } finally {
      if (running.current === controller) setBusy(false);
    }
  };
  const choose = (newKind: Kind) => {
    const firstList = createPageList(initial);
    setKind(newKind);
    setList(firstList);
    if (newKind === '') begin();
    else void load(newKind, firstList);
  };

  return (
    <section aria-label="Activity">
      <div className="section-title">
        <h2>Activity</h2>
        <select
          className="select select-sm w-auto! print:hidden"
          aria-label="Kind of activity"
          value={kind}
          onChange={({ target }) => choose(KINDS.find((one) => one.kind === target.value)?.kind ?? '')}
        >
          {KINDS.map((one) => (
            <option key={one.kind} value={one.kind}>
              {one.words}
            </option>
          ))}
        </select>
      </div>
      {events.length === 0 && list.next === null && <p className="panel quiet p-4 text-small">Nothing here yet.</p>}
      <ol className="timeline" aria-busy={busy}>
        {events.map((event) => (
          <li key={keyOf(event)} className="timeline-item">
            <Link className="hover:underline wrap-anywhere" href={event.url}>
              {event.text}
            </Link>
            <p className="timeline-when">
              <Time at={event.at} />
              {event.by !== null && ` · ${event.by.name}, ${roleInText(event.by.role)}`}
            </p>
          </li>
        ))}
      </ol>
      {problem !== null && (
        <p className="field-error mt-2" role="alert">
          {problem}
        </p>
      )}
      {list.next !== null && (
        <p className="mt-3 text-center print:hidden">
          <button type="button" className="btn btn-sm" disabled={busy} data-busy={busy} onClick={() => load(kind, list)}>
            {busy ? 'Loading…' : 'Show earlier'}
          </button>
        </p>
      )}
    </section>
  );
}

function keyOf({ at, kind, url, text }: CaseEvent): string {
  return [at, kind, url, text].join(' ');
}
