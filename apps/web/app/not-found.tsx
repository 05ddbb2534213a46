import { NotFoundState } from '../shell/not-found-state.tsx';

/** For addresses that no page has; it stands without the frame. */
export default function NotFound() {
  return (
    <main>
      <NotFoundState />
    </main>
  );
}
