import { rejectionWords } from '../../api/api-error.ts';
import type { Case, Page } from '../../api/api-shapes.ts';
import { ErrorState } from '../../look/error-state.tsx';
import { apiServer } from '../../session/api-server.ts';
import { requireMe } from '../../session/session.ts';
import { idInPath } from '../chain-paths.ts';
import { NewMessage } from './new-message.tsx';

interface Props {
  searchParams: Promise<{ case?: string | string[] }>;
}

export async function NewMessagePage({ searchParams }: Props) {
  const [me, { case: caseParam }, cases] = await Promise.all([
    requireMe(),
    searchParams,
    apiServer<Page<Case>>('/api/cases?limit=100'),
  ]);
  if (!cases.ok) {
    return (
      <ErrorState
        title="We couldn’t load your cases"
        text={rejectionWords(cases) ?? 'The message you started is saved. Try again.'}
      />
    );
  }
  const caseId = typeof caseParam === 'string' ? idInPath(caseParam) : null;
  return <NewMessage me={me} cases={cases.data.data} wantedCase={caseId} />;
}
