import { toApiUserType } from '@case-platform/words/user-types';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { isMissing, rejectionWords } from '../api/api-error.ts';
import { ErrorState } from '../look/error-state.tsx';
import { requireMe } from '../session/session.ts';
import { idInPath } from './chain-paths.ts';
import { ChainView } from './chain-view.tsx';
import { chainTitle } from './chain-words.ts';
import { findChain } from './find-chains.ts';

interface Props {
  params: Promise<{ chain_id: string }>;
}

/** Puts the title of the chain into the tab and the browser's history. */
export async function chainMetadata({ params }: Props): Promise<Metadata> {
  const id = idInPath((await params).chain_id);
  const [me, answer] = await Promise.all([requireMe(), id === null ? null : findChain(id)]);
  if (answer === null || !answer.ok) return { title: 'Conversation' };
  return { title: chainTitle(answer.data.chain, { id: me.id, type: toApiUserType(me.userType) }) };
}

/** Rendering a chain changes nothing (CHAIN-13); the browser marks its messages as viewed once they are shown. */
export async function ChainPage({ params }: Props) {
  const me = await requireMe();
  const id = idInPath((await params).chain_id);
  if (id === null) notFound();
  const answer = await findChain(id);
  if (answer.ok) return <ChainView key={id} me={me} initial={answer.data} />;
  if (isMissing(answer)) notFound();
  return (
    <div className="flex flex-1 flex-col justify-center">
      <ErrorState
        title="We couldn’t load this conversation"
        text={rejectionWords(answer) ?? 'Nothing is lost, and the message you started is saved. Try again.'}
      />
    </div>
  );
}
