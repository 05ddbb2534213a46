import { NotFoundState } from '../shell/not-found-state.tsx';

/** Shown without the application's frame for addresses that match no page. */
export default function NotFound() {
  return (
    <main>
      <NotFoundState />
    </main>
  );
}
