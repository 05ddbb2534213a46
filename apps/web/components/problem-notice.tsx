import { type SignInProblem, signInProblemWords } from '../lib/sign-in-errors.ts';
import { Notice } from './notice.tsx';

/** Why signing in did not work. */
export function ProblemNotice({ problem }: { problem: SignInProblem }) {
  const { title, text } = signInProblemWords(problem);
  return (
    <Notice kind="error" title={title} className="mb-6">
      {text}
    </Notice>
  );
}
