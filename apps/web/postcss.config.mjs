/**
 * In daisyUI a control can be an element around an input, which it finds with `:has()`. Ours never are, and `:has()` together
 * with `::placeholder` makes Chromium restyle the whole page at every keystroke.
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
