import { Notice } from '../look/notice.tsx';
import { type SignInProblem, signInProblemWords } from '../session/sign-in-errors.ts';

export function ProblemNotice({ problem }: { problem: SignInProblem }) {
  const { title, text } = signInProblemWords(problem);
  return (
    <Notice kind="error" title={title}>
      {text}
    </Notice>
  );
}
