import { useCallback, useEffect, useRef, useState } from 'react';
import { apiBrowser } from '../api/api-browser.ts';
import type { CaseDocument, Page } from '../api/api-shapes.ts';
import { createPageList, listEntries, withEarlier, withNewest } from '../look/page-list.ts';

/** Signed URLs work for an hour (FILE-4), so older pages are read again after half of that. */
const GOOD_FOR_MS = 30 * 60_000;

/**
 * The documents of a case, newest first: the first page as the server rendered it, older ones once the reader asks for them,
 * and those added or removed since then. Errors go to `onProblem`.
 */
export function useCaseDocuments(caseId: number, initial: Page<CaseDocument>, onProblem: (error: unknown) => void) {
  const path = `/api/cases/${caseId}/documents` as const;
  const [listState, setList] = useState(() => createPageList(initial));
  const [uploads, setUploads] = useState<readonly CaseDocument[]>([]);
  const [removedIds, setRemovedIds] = useState<readonly number[]>([]);
  const [busy, setBusy] = useState(false);
  const readAt = useRef<number | null>(null);
  const list = listState.newest === initial ? listState : withNewest(listState, initial, idOf);
  if (list !== listState) setList(list);
  const byId = new Map([...uploads, ...listEntries(list, idOf)].map((one) => [one.id, one]));
  const documents = [...byId.values()].filter(({ id }) => !removedIds.includes(id)).sort((a, b) => b.id - a.id);

  const hasEarlier = list.earlier.length > 0;
  useEffect(() => {
    const now = Date.now();
    if (!hasEarlier || initial.next_cursor === null || now - (readAt.current ?? 0) < GOOD_FOR_MS) return;
    readAt.current = now;
    const renewal = apiBrowser<Page<CaseDocument>>(`${path}?limit=100&cursor=${initial.next_cursor}`);
    renewal.then(
      ({ data, next_cursor }) =>
        setList((before) => (before.newest === initial ? { ...before, earlier: data, next: next_cursor } : before)),
      () => {
        readAt.current = null;
      },
    );
  }, [path, initial, hasEarlier]);

  const more = async () => {
    const { next } = list;
    if (next === null) return;
    setBusy(true);
    try {
      const page = await apiBrowser<Page<CaseDocument>>(`${path}?cursor=${next}`);
      readAt.current ??= Date.now();
      setList((before) => withEarlier(before, next, page));
    } catch (error) {
      onProblem(error);
    }
    setBusy(false);
  };
  const remove = (id: number) =>
    apiBrowser(`${path}/${id}`, { method: 'DELETE', body: {} }).then(() => setRemovedIds((before) => [...before, id]), onProblem);
  const add = useCallback((document: CaseDocument) => setUploads((before) => [...before, document]), []);
  return { path, documents, hasMore: list.next !== null, busy, more, remove, add };
}

function idOf({ id }: CaseDocument): number {
  return id;
}
