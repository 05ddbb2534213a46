import 'server-only';
import { longDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { parseRetryAfter } from '@case-platform/words/retry-after';
import { waitWords } from '@case-platform/words/times';
import { BadgeCheck, CircleX, CloudOff, Hourglass, SearchX } from 'lucide-react';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import type { ProofOfFunds } from '../api/api-shapes.ts';
import { callApi } from '../api/call-api.ts';
import { visitorIn } from '../api/visitor.ts';
import { SignInFrame } from '../sign-in/sign-in-frame.tsx';
import { proofAnswer } from './proof-answer.ts';

interface Props {
  params: Promise<{ code: string }>;
}

const WITHIN_MS = 15_000;
const USUAL_WAIT_S = 15 * 60;

/** Shows what the code of a proof of funds states (PROOF-1). It needs no session, because anyone with the paper may check it. */
export async function ProofPage({ params }: Props) {
  const { code } = await params;
  const answer = await callApi(
    `/api/proof/${/^[\w-]{1,64}$/.test(code) ? code : 'none'}`,
    { headers: { ...visitorIn(await headers()), accept: 'application/json' } },
    { withinMs: WITHIN_MS, repeats: true },
  ).catch(() => null);
  const kind = proofAnswer(answer?.status);
  if (kind === 'unknown_code') notFound();
  return (
    <SignInFrame>
      {answer !== null && kind === 'proof' ? (
        <Proof proof={await answer.json()} />
      ) : kind === 'too_many' ? (
        <Message icon={<Hourglass aria-hidden="true" />} title="Too many codes weren’t right">
          Wait {waitWords(waitOf(answer))}, then check the code on the paper again.
        </Message>
      ) : (
        <Message icon={<CloudOff aria-hidden="true" />} title="We can’t check this right now">
          Try again in a minute.
        </Message>
      )}
    </SignInFrame>
  );
}

/** The wait that the API names, in seconds. */
function waitOf(answer: Response | null): number {
  return parseRetryAfter(answer?.headers.get('retry-after'), Date.now()) ?? USUAL_WAIT_S;
}

function Proof({ proof: { case_id, amount_cents, made_at, expires_at, holds, withdrawn_at } }: { proof: ProofOfFunds }) {
  const facts = [
    ['Case number', String(case_id)],
    ['Amount in escrow', moneyWords(amount_cents)],
    ['Issued on', longDayWords(made_at.slice(0, 10))],
    ...(withdrawn_at === null
      ? [['Can be checked until', longDayWords(expires_at.slice(0, 10))]]
      : [['Withdrawn on', longDayWords(withdrawn_at.slice(0, 10))]]),
  ];
  return (
    <>
      {holds ? (
        <Message icon={<BadgeCheck aria-hidden="true" />} title="This proof of funds holds">
          At least this amount is available in escrow for the case today.
        </Message>
      ) : withdrawn_at !== null ? (
        <Message icon={<CircleX aria-hidden="true" />} title="This proof of funds was withdrawn">
          It no longer says anything about the case. Ask the person who gave you the paper for a new one.
        </Message>
      ) : (
        <Message icon={<CircleX aria-hidden="true" />} title="This proof of funds no longer holds">
          Less is available now, its 90 days are over, or the case has closed. Ask the person who gave you the paper for a new
          one.
        </Message>
      )}
      <dl className="mt-4 divide-y divide-(--hairline) border-y border-(--hairline)">
        {facts.map(([words, value]) => (
          <div key={words} className="flex justify-between gap-4 py-3">
            <dt className="quiet">{words}</dt>
            <dd className="font-medium tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** The page of a code that we did not write, which answers 404. */
export function UnknownProof() {
  return (
    <SignInFrame>
      <Message icon={<SearchX aria-hidden="true" />} title="We don’t know this code">
        Compare it with the paper, character by character. If it’s the same, the paper isn’t one of ours.
      </Message>
    </SignInFrame>
  );
}

function Message({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <div className="text-center [&>svg]:mx-auto [&>svg]:mb-3 [&>svg]:size-8">
      {icon}
      <h1 className="text-title font-semibold">{title}</h1>
      <p className="quiet mt-2">{children}</p>
    </div>
  );
}
