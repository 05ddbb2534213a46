import { Notice } from '../look/notice.tsx';
import { type SignInProblem, signInProblemWords } from '../session/sign-in-errors.ts';

/** Why signing in did not work. */
export function ProblemNotice({ problem }: { problem: SignInProblem }) {
  const { title, text } = signInProblemWords(problem);
  return (
    <Notice kind="error" title={title} className="mb-6">
      {text}
    </Notice>
  );
}
