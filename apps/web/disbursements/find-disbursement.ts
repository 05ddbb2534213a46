import 'server-only';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { isMissing } from '../api/api-error.ts';
import type { SeenDisbursement } from '../api/api-shapes.ts';
import { idInPath } from '../messages/chain-paths.ts';
import { type ApiAnswer, apiServer } from '../session/api-server.ts';

/** The page and its title read it once. */
const readDisbursement = cache((id: number) => apiServer<SeenDisbursement>(`/api/disbursements/${id}`));

/** Shows the not-found page if the disbursement does not exist or the reader may not see it (ERROR-2). */
export async function findDisbursement(idOfPath: string): Promise<ApiAnswer<SeenDisbursement>> {
  const id = idInPath(idOfPath);
  if (id === null) notFound();
  const answer = await readDisbursement(id);
  if (!answer.ok && isMissing(answer)) notFound();
  return answer;
}

/** Puts what the request is for into the tab and the browser's history. */
export async function disbursementMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  const id = idInPath((await params).id);
  const answer = id === null ? null : await readDisbursement(id);
  if (!answer?.ok) return { title: 'Request' };
  const { description, submitted_by } = answer.data;
  return { title: description ?? `${submitted_by.name}’s draft` };
}

/** The same for the page that changes it. */
export async function editMetadata(props: Parameters<typeof disbursementMetadata>[0]): Promise<Metadata> {
  return { title: `Change ${(await disbursementMetadata(props)).title}` };
}
