const listeners = new Set<(caseId: number | null) => void>();

/** Says that a case's money or requests have changed; null: any may have, while nobody listened. */
export function noteCaseChange(caseId: number | null): void {
  for (const listener of listeners) listener(caseId);
}

/** Calls back on every change. @returns a function that ends it. */
export function onCaseChange(listener: (caseId: number | null) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
