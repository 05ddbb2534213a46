import { NotFoundState } from '../../shell/not-found-state.tsx';

/** For things that a page does not find, in the frame of the application. */
export default function NotFound() {
  return (
    <main id="main" className="shell-main" tabIndex={-1}>
      <NotFoundState />
    </main>
  );
}
