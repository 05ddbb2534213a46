import { NotFoundState } from '../../shell/not-found-state.tsx';

/** Shown inside the application's frame when a page calls `notFound()`. */
export default function NotFound() {
  return (
    <main id="main" className="shell-main" tabIndex={-1}>
      <NotFoundState />
    </main>
  );
}
