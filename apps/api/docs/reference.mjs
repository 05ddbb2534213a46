// Runs in the browser: shows the operations of /openapi.json, with samples to copy and a form to try each one.
const { document, location, matchMedia, SwaggerUIBundle } = /** @type {any} */ (globalThis);

/** @typedef {{ lang: string, label: string, source: string }} Sample */

/** Replaces the layout of Swagger UI, and shows the samples of an operation above its answers. */
const samplesPlugin = () => ({
  wrapComponents: {
    // The page has its own introduction and landmarks, and one server.
    BaseLayout:
      (/** @type {any} */ _BaseLayout, /** @type {any} */ { React, getComponent }) =>
      () => {
        const part = (/** @type {string} */ name) => React.createElement(getComponent(name, true));
        const tools = React.createElement('div', { className: 'tools' }, part('FilterContainer'), part('AuthorizeBtnContainer'));
        const parts = [part('SvgAssets'), tools, part('operations'), part('Models')];
        return React.createElement('div', { className: 'swagger-ui' }, ...parts);
      },
    responses:
      (/** @type {any} */ Responses, /** @type {any} */ { React }) =>
      (/** @type {any} */ props) => {
        const { createElement } = React;
        const [chosen, choose] = React.useState(0);
        /** @type {Sample[]} */
        const samples = props.specSelectors.specJson().getIn(['paths', props.path, props.method, 'x-codeSamples'])?.toJS() ?? [];
        const tab = (/** @type {Sample} */ { label }, /** @type {number} */ at) =>
          createElement(
            'button',
            { key: label, type: 'button', 'aria-pressed': at === chosen, onClick: () => choose(at) },
            label,
          );
        const code = createElement('pre', { tabIndex: 0 }, createElement('code', null, samples[chosen]?.source));
        const tabs = createElement('div', { className: 'sample-tabs' }, ...samples.map(tab));
        const shown = samples.length > 0 && createElement('div', { className: 'samples' }, tabs, code);
        return createElement(React.Fragment, null, shown, createElement(Responses, props));
      },
  },
});

const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
followSystem();
dark.addEventListener('change', followSystem);

const description = /** @type {any} */ (await (await fetch('/openapi.json')).json());
// The page calls the host that it came from.
description.servers = [{ url: location.origin }];
const ui = SwaggerUIBundle({
  spec: description,
  domNode: document.getElementById('operations'),
  plugins: [samplesPlugin],
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'none',
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  /** Uses the token of an answer, of a sign-in or a refresh, for the calls that follow. */
  responseInterceptor: (/** @type {any} */ answer) => {
    const token = answer.body?.access_token;
    if (token) ui.preauthorizeApiKey('bearer', token);
    return answer;
  },
});
