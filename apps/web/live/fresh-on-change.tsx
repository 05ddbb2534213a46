import { renderedAsOf } from '../session/rendered-as-of.ts';
import { CaseWatch } from './case-watch.tsx';

/**
 * Refreshes a server-rendered page when a case's money or requests have changed since it was rendered, even if they changed
 * before the page listened. It must be rendered after the page's API calls, because it reads the snapshot of their answers.
 * @param caseId limits this to changes of one case.
 */
export function FreshOnChange({ caseId }: { caseId?: number }) {
  return <CaseWatch caseId={caseId} rendered={renderedAsOf()} />;
}
