import { renderedAsOf } from '../../session/rendered-as-of.ts';
import { CaseWatch } from './case-watch.tsx';

/**
 * Renders a page of the server anew when a case's money has changed since, also before the page listened. It stands in the page
 * after what the page has asked for.
 * @param caseId only changes of this case; without it of any.
 */
export function FreshOnChange({ caseId }: { caseId?: number }) {
  return <CaseWatch caseId={caseId} rendered={renderedAsOf()} />;
}
