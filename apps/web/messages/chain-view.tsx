'use client';

import { toApiUserType } from '@case-platform/words/user-types';
import { ArrowDown } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { ChainWithMessages, Message } from '../api/api-shapes.ts';
import { useDraft } from '../drafts/use-draft.ts';
import type { Me } from '../session/session-shapes.ts';
import { ChainHeader } from './chain-header.tsx';
import { firstUnread, isOwnMessage } from './chain-items.ts';
import { ChainMessages } from './chain-messages.tsx';
import { ComposerBox } from './compose/composer-box.tsx';
import { OutboxMessage } from './compose/outbox-message.tsx';
import { hasArrived, type OutboxEntry } from './compose/outbox-reducer.ts';
import { useFileChoice } from './compose/use-file-choice.ts';
import { useOutbox } from './compose/use-outbox.ts';
import { loadedMessages } from './loaded-chain.ts';
import { MoreButton } from './more-button.tsx';
import { useChain } from './queries.ts';
import { reuseSignedUrls } from './signed-urls.ts';
import { useChainScroll } from './use-chain-scroll.ts';
import { useViewed } from './use-viewed.ts';

/** Loaded on demand, because it is offered only after a message was sent. */
const PushOffer = lazy(() => import('../push/push-offer.tsx'));

interface Props {
  me: Me;
  initial: ChainWithMessages;
}

export function ChainView({ me, initial }: Props) {
  const reader = useMemo(() => ({ id: me.id, type: toApiUserType(me.userType) }), [me]);
  const earlier = useChain(initial.chain.id, initial);
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, isFetchNextPageError } = earlier;
  const chain = data?.pages[0]?.chain ?? initial.chain;
  const messages = useMemo(() => loadedMessages(data), [data]);
  const { outbox, entries, hasSent } = useOutbox(me.id, chain.id);
  // A live event may bring a message before the answer to its attempt.
  const outgoing = entries.filter((entry) => !hasArrived(entry, messages));
  const input = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useDraft(me.id, chain.id, input);
  const choice = useFileChoice();
  const [leaving, setLeaving] = useState(false);
  const { scroller, atNewest, newCount, onScroll, toNewest } = useChainScroll(messages, reader);
  const [newFromId] = useState(() => firstUnread(messages, reader)?.id ?? null);
  useViewed({ chainId: chain.id, messages, reader, inSight: atNewest && !leaving });
  useEffect(() => {
    reuseSignedUrls(initial.messages.data, Date.now());
  }, [initial]);
  useEffect(() => outbox().settle(messages));

  const send = () => {
    const files = choice.files.map(({ file }) => file);
    outbox().send({ text, files });
    setText('');
    choice.replace([]);
    toNewest();
    input.current?.focus();
  };
  const edit = (entry: OutboxEntry) => {
    setText(text.trim() === '' ? entry.text : `${entry.text}\n\n${text}`);
    choice.replace([...entry.files, ...choice.files.map(({ file }) => file)]);
    outbox().edit(entry);
    input.current?.focus();
  };

  return (
    <section className="is-focus flex min-h-0 flex-1 flex-col" aria-labelledby="chain-title">
      <ChainHeader
        chain={chain}
        reader={reader}
        canBeUnread={messages.some((message) => !isOwnMessage(message, reader))}
        onLeave={setLeaving}
      />
      <div className="relative flex min-h-0 flex-1 flex-col">
        <div ref={scroller} className="pane-scroll flex flex-col-reverse [overflow-anchor:none]" onScroll={onScroll}>
          <div className="flex min-h-full flex-col justify-end">
            {hasNextPage && (
              <MoreButton
                words="Show earlier messages"
                error={isFetchNextPageError ? error : null}
                busy={isFetchingNextPage}
                onMore={() => void fetchNextPage()}
              />
            )}
            <ol className="message-list" aria-label="Messages">
              <ChainMessages chain={chain} messages={messages} reader={reader} newFromId={newFromId} />
              {outgoing.map((entry) => (
                <OutboxMessage
                  key={entry.key}
                  entry={entry}
                  onCancel={() => outbox().cancel(entry.key)}
                  onRetry={() => outbox().retry(entry.key)}
                  onEdit={() => edit(entry)}
                />
              ))}
            </ol>
          </div>
        </div>
        {newCount > 0 && <NewBelow count={newCount} onShow={toNewest} />}
      </div>
      <NewestAnnounced messages={messages} reader={reader} />
      {hasSent && (
        <Suspense fallback={null}>
          <PushOffer userId={me.id} />
        </Suspense>
      )}
      <ComposerBox text={text} onText={setText} choice={choice} onSend={send} placeholder="Write a message" inputRef={input} />
    </section>
  );
}

/** Leads to messages that arrived below the current scroll position. */
function NewBelow({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <button
      type="button"
      className="btn btn-primary btn-sm absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full"
      onClick={onShow}
    >
      <ArrowDown size={16} aria-hidden="true" />
      {count === 1 ? 'New message' : `${count} new messages`}
    </button>
  );
}

/** Announces messages to screen readers as they arrive. */
function NewestAnnounced({ messages, reader }: { messages: readonly Message[]; reader: { id: number; type: string } }) {
  const newest = messages.at(-1);
  const [opened] = useState(newest?.id ?? 0);
  const isNews = newest !== undefined && newest.id > opened && !isOwnMessage(newest, reader) && newest.retracted_at === null;
  return (
    <p className="sr-only" role="log">
      {isNews ? `${newest.from_name}: ${newest.message}` : ''}
    </p>
  );
}
