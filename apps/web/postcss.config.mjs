/**
 * daisyUI lets its controls be the frame around an input. Ours never are, and asking `:has()` beside `::placeholder` makes
 * Chromium restyle the whole page with each key that is typed.
 * @type {import('postcss').Plugin}
 */
const withoutFrames = {
  postcssPlugin: 'without-frames',
  OnceExit(root) {
    root.walkRules(/:has\(/, (rule) => {
      rule.selector = rule.selector.replace(/:has\(>\s*(?:input|select|textarea)\[disabled\]\)/g, '[data-frame]');
    });
  },
};

export default { plugins: ['@tailwindcss/postcss', withoutFrames] };
