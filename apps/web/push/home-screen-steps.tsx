/** The steps that an iPhone or iPad requires before a website can show notifications. */
export function HomeScreenSteps() {
  return (
    <>
      On an iPhone or iPad, notifications only come to apps on the home screen. Tap <strong>Share</strong>, choose{' '}
      <strong>Add to Home Screen</strong>, open it from there, and turn them on in Settings.
    </>
  );
}
