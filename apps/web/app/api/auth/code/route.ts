import { serverEnvironment } from '../../../../api/server-environment.ts';
import { visitorIn } from '../../../../api/visitor.ts';
import { isSameOrigin } from '../../../../server/forwarded-headers.ts';
import { postResend } from '../../../../session/api-auth.ts';
import { type SignInProblem, writeSignInProblem } from '../../../../session/sign-in-errors.ts';
import { resendAnswer } from '../../../../session/sign-in-refusals.ts';
import { deleteChallenge, readChallenge } from '../../../../session/two-factor-cookie.ts';

/** Sends another code for the sign-in that this browser has begun. */
export async function POST(request: Request): Promise<Response> {
  if (!isSameOrigin('POST', request.headers, () => serverEnvironment().webOrigin)) return answer(403, { code: 'invalid' });
  const challenge = await readChallenge();
  if (challenge === null) return answer(409, { code: 'challenge_over' });
  const reply = await postResend({ tfa_token: challenge.tfa_token }, visitorIn(request.headers));
  const { status, problem, endsChallenge } = resendAnswer(reply);
  if (endsChallenge) await deleteChallenge();
  return problem === null ? Response.json({ sent: true }, { status }) : answer(status, problem);
}

/** Drops the sign-in that is waiting for its code, so that the person can start over. */
export async function DELETE(request: Request): Promise<Response> {
  if (!isSameOrigin('DELETE', request.headers, () => serverEnvironment().webOrigin)) return answer(403, { code: 'invalid' });
  await deleteChallenge();
  return new Response(null, { status: 204 });
}

function answer(status: number, problem: SignInProblem): Response {
  return Response.json({ problem: writeSignInProblem(problem) }, { status });
}
