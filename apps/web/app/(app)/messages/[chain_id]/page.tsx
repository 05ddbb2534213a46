import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { ChainView } from '../../../../components/chain-view.tsx';
import { ErrorState } from '../../../../components/error-state.tsx';
import { apiServer } from '../../../../lib/api-server.ts';
import type { ChainWithMessages } from '../../../../lib/api-shapes.ts';
import { idInPath } from '../../../../lib/chain-paths.ts';
import { requireMe } from '../../../../lib/session.ts';

export const metadata: Metadata = { title: 'Conversation' };

interface Props {
  params: Promise<{ chain_id: string }>;
}

/** One chain. Reading it changes nothing; the browser marks it viewed once it is shown. */
export default async function ChainPage({ params }: Props) {
  const me = await requireMe();
  const id = idInPath((await params).chain_id);
  if (id === null) notFound();
  const answer = await apiServer<ChainWithMessages>(`/api/messages/${id}`);
  if (answer.ok) return <ChainView key={id} me={me} initial={answer.data} />;
  if (answer.status === 404 || answer.status === 403) notFound();
  return (
    <div className="flex flex-1 flex-col justify-center">
      <ErrorState
        title="We could not load this conversation"
        text="Nothing is lost, and a message that you began to write is kept. Try again."
      />
    </div>
  );
}
