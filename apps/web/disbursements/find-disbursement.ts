import 'server-only';
import { notFound } from 'next/navigation';
import type { SeenDisbursement } from '../api/api-shapes.ts';
import { idInPath } from '../messages/chain-paths.ts';
import { type ApiAnswer, apiServer } from '../session/api-server.ts';

/** Shows the not-found page if the disbursement does not exist or the reader may not see it (ERROR-2). */
export async function findDisbursement(idOfPath: string): Promise<ApiAnswer<SeenDisbursement>> {
  const id = idInPath(idOfPath);
  if (id === null) notFound();
  const answer = await apiServer<SeenDisbursement>(`/api/disbursements/${id}`);
  if (!answer.ok && (answer.status === 404 || answer.status === 422)) notFound();
  return answer;
}
