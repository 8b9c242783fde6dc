// What the pages do beyond being read: they keep themselves up to date, send changes to the REST API, and let diagrams be
// moved and enlarged. Everything else works without this script.

const REFRESH_MS = 2000;
const root = document.documentElement;
root.classList.add('js');

/* Times in the zone of the viewer, with the exact one as title. */

const written = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

function showTimes(scope) {
  for (const time of scope.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.title = time.dateTime;
    time.textContent = written.format(at);
  }
}

function showCountdowns() {
  for (const cell of document.querySelectorAll('[data-countdown]')) {
    const left = Math.max(0, Math.round((Number(cell.dataset.countdown) - Date.now()) / 1000));
    const [days, hours, minutes] = [Math.floor(left / 86400), Math.floor(left / 3600) % 24, Math.floor(left / 60) % 60];
    const two = number => String(number).padStart(2, '0');
    cell.textContent = `${days ? `${days} d ` : ''}${two(hours)}:${two(minutes)}:${two(left % 60)}`;
  }
}

/* The page is fetched again and again; the server answers 304 while nothing has changed. */

let tag = null;
let isSending = false;

// Nobody's typing may be lost, and nothing may move under somebody's fingers.
function isInUse() {
  const active = document.activeElement;
  const isTyping = active?.closest('main') && active.matches('input, textarea, select');
  const isChanged = [...document.querySelectorAll('main form :is(input, textarea)')].some(
    field => field.type !== 'hidden' && field.type !== 'checkbox' && field.type !== 'file' && field.value !== field.defaultValue
  );
  return isSending || isTyping || isChanged || document.querySelector('dialog[open]') || !getSelection().isCollapsed;
}

async function refresh() {
  const headers = tag ? { 'if-none-match': tag } : {};
  const answer = await fetch(location.href, { headers, cache: 'no-store' });
  if (answer.status === 304) return;
  const text = await answer.text();
  const isFirst = tag === null;
  tag = answer.headers.get('etag');
  // The first answer only tells how the page is called by now; it is shown where it differs.
  const fresh = new DOMParser().parseFromString(text, 'text/html');
  if (isFirst && fresh.querySelector('main')?.innerHTML === firstContent) return;
  show(fresh);
}

function show(fresh) {
  const [main, next] = [document.querySelector('main'), fresh.querySelector('main')];
  if (!next) return;
  const opened = [...main.querySelectorAll('details[open] summary')].map(summary => summary.textContent);
  const focused = [...main.querySelectorAll('a, button')].indexOf(document.activeElement);
  main.replaceChildren(...next.childNodes);
  document.title = fresh.title;
  for (const summary of main.querySelectorAll('summary')) {
    if (opened.includes(summary.textContent)) summary.parentElement.open = true;
  }
  prepare(main);
  if (focused >= 0) main.querySelectorAll('a, button')[focused]?.focus({ preventScroll: true });
}

async function keepFresh() {
  if (document.visibilityState === 'visible' && !isInUse()) {
    // A server that is away for a moment is asked again.
    await refresh().catch(() => {});
  }
  setTimeout(keepFresh, REFRESH_MS);
}

/* Forms that change something. */

function filled(template, fields) {
  if (typeof template === 'string' && template.startsWith('$')) {
    const isJson = template.startsWith('$json:');
    const text = fields.get(template.slice(isJson ? 6 : 1)) ?? '';
    return isJson ? new RawJson(text) : text;
  }
  if (Array.isArray(template)) return template.map(part => filled(part, fields));
  if (template === null || typeof template !== 'object') return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [filled(name, fields), filled(value, fields)]));
}

// JSON that somebody typed goes to the server as it is: reading it here would lose digits of large numbers.
class RawJson {
  constructor(text) {
    const field = text.trim();
    try {
      JSON.parse(field);
    } catch (error) {
      throw new Error(`Expected JSON, for example {"name": "value"}, but ${error.message}`);
    }
    this.text = field;
  }
}

function json(value) {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(json).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  // Empty fields are left out.
  const members = Object.entries(value).filter(([, member]) => member !== '');
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${json(member)}`).join(',')}}`;
}

async function told(answer) {
  const text = await answer.text();
  let body = null;
  try {
    body = JSON.parse(text, (name, value, context) => (/Key$/.test(name) && typeof value === 'number' ? context?.source : value));
  } catch {
    // Some answers are empty.
  }
  if (answer.ok) return body;
  throw new Error(body?.detail ?? body?.title ?? `The server answered ${answer.status}.`);
}

async function send(form) {
  const fields = new FormData(form);
  let last = null;
  for (const { method, path, body } of JSON.parse(form.dataset.steps)) {
    const init = { method, headers: { accept: 'application/json' } };
    if (body !== null) {
      init.body = json(filled(body, fields));
      init.headers['content-type'] = 'application/json';
    }
    last = await told(await fetch(path, init));
  }
  return last;
}

async function deploy(form, files) {
  const body = new FormData();
  for (const file of files) body.append('resources', file, file.name);
  if (!files.length) throw new Error('Choose a file first.');
  const deployed = await told(await fetch('/v2/deployments', { method: 'POST', body, headers: { accept: 'application/json' } }));
  const keys = deployed.deployments.map(one => one.processDefinition?.processDefinitionKey).filter(Boolean);
  return keys.length ? `/ui/processes/${keys[0]}` : null;
}

async function handle(form, work) {
  const [output, button] = [form.querySelector('output'), form.querySelector('button')];
  output.textContent = '';
  output.classList.remove('good');
  button.disabled = isSending = true;
  try {
    const next = await work();
    isSending = false;
    if (next) return location.assign(next);
    form.reset();
    document.activeElement?.blur();
    await refresh();
    announce('Done.');
  } catch (error) {
    output.textContent = error.message;
  } finally {
    button.disabled = isSending = false;
  }
}

function announce(text) {
  const place = document.querySelector('#announcement');
  place.textContent = text;
  setTimeout(() => (place.textContent = ''), 3000);
}

async function ask(question) {
  const dialog = document.createElement('dialog');
  dialog.innerHTML = '<p></p><form method="dialog"><button value="yes" class="danger">Yes</button><button value="no" autofocus>No</button></form>';
  dialog.querySelector('p').textContent = question;
  document.body.append(dialog);
  dialog.showModal();
  await new Promise(closed => dialog.addEventListener('close', closed, { once: true }));
  dialog.remove();
  return dialog.returnValue === 'yes';
}

document.addEventListener('submit', async event => {
  const form = event.target;
  if (form.matches('[data-deploy]')) {
    event.preventDefault();
    handle(form, () => deploy(form, form.elements.resources.files));
  } else if (form.matches('[data-steps]')) {
    event.preventDefault();
    if (form.dataset.question && !(await ask(form.dataset.question))) return;
    handle(form, async () => {
      const answer = await send(form);
      return form.dataset.then?.replace(/\$(\w+)/, (_, name) => answer?.[name] ?? '');
    });
  }
});

/* Files that are dropped on the form for deployments. */

for (const kind of ['dragover', 'dragleave', 'drop']) {
  document.addEventListener(kind, event => {
    const form = document.querySelector('[data-deploy]');
    if (!form) return;
    event.preventDefault();
    form.classList.toggle('over', kind === 'dragover');
    if (kind === 'drop') handle(form, () => deploy(form, event.dataTransfer.files));
  });
}

/* Copy buttons. */

document.addEventListener('click', async event => {
  const button = event.target.closest('[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  announce('Copied.');
});

/* Diagrams: moved by dragging, enlarged by the wheel with Ctrl, by buttons, by + and -. */

// What is seen survives a refresh, as long as the page stays the same.
let view = null;

function preparePicture(figure) {
  const svg = figure.querySelector('svg');
  if (!svg) return;
  const whole = svg.viewBox.baseVal;
  const fit = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'Diagram of the process');
  const see = next => {
    view = next;
    svg.setAttribute('viewBox', `${next.x} ${next.y} ${next.width} ${next.height}`);
  };
  const zoom = (factor, px = 0.5, py = 0.5) => {
    const now = view ?? fit;
    const width = Math.min(fit.width * 4, Math.max(fit.width / 40, now.width * factor));
    const height = (width / now.width) * now.height;
    see({ x: now.x + (now.width - width) * px, y: now.y + (now.height - height) * py, width, height });
  };
  if (view) see(view);
  figure.addEventListener('click', event => {
    const kind = event.target.closest('[data-zoom]')?.dataset.zoom;
    if (kind === 'in') zoom(0.8);
    if (kind === 'out') zoom(1.25);
    if (kind === 'fit') see(fit);
    const element = event.target.closest('[data-element-id]');
    if (element) choose(element.dataset.elementId);
  });
  svg.addEventListener(
    'wheel',
    event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const box = svg.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.1 : 0.9, (event.clientX - box.x) / box.width, (event.clientY - box.y) / box.height);
    },
    { passive: false }
  );
  svg.addEventListener('pointerdown', start => {
    const [from, box] = [view ?? fit, svg.getBoundingClientRect()];
    const scale = Math.max(from.width / box.width, from.height / box.height);
    const move = now => see({ ...from, x: from.x - (now.clientX - start.clientX) * scale, y: from.y - (now.clientY - start.clientY) * scale });
    const end = () => {
      svg.removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
    };
    svg.addEventListener('pointermove', move);
    addEventListener('pointerup', end);
  });
}

// An element of the diagram leads to its rows.
function choose(id) {
  const rows = [...document.querySelectorAll('[data-element]')];
  rows.forEach(row => row.classList.toggle('chosen', row.dataset.element === id));
  rows.find(row => row.dataset.element === id)?.scrollIntoView({ block: 'center', behavior: 'smooth' });
}

/* Keys. */

const SHORTCUTS = [['?', 'this list'], ['/', 'the first filter'], ['r', 'refresh'], ['+ and -', 'enlarge and reduce the diagram']];

function showShortcuts() {
  const dialog = document.createElement('dialog');
  const list = document.createElement('dl');
  list.className = 'facts';
  const places = [...document.querySelectorAll('[data-key]')].map(link => [link.dataset.key, link.textContent]);
  for (const [key, text] of [...places, ...SHORTCUTS]) {
    const [term, meaning] = [document.createElement('dt'), document.createElement('dd')];
    term.append(Object.assign(document.createElement('kbd'), { textContent: key }));
    meaning.textContent = text;
    list.append(term, meaning);
  }
  const title = Object.assign(document.createElement('h2'), { textContent: 'Keyboard shortcuts' });
  const form = Object.assign(document.createElement('form'), { method: 'dialog' });
  form.append(Object.assign(document.createElement('button'), { textContent: 'Close' }));
  dialog.append(title, list, form);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select, dialog')) return;
  const place = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (place) return location.assign(place.href);
  if (event.key === '?') showShortcuts();
  if (event.key === 'r') refresh();
  if (event.key === '+') document.querySelector('[data-zoom="in"]')?.click();
  if (event.key === '-') document.querySelector('[data-zoom="out"]')?.click();
  if (event.key === '/') {
    event.preventDefault();
    document.querySelector('.filter :is(select, input)')?.focus();
  }
});

function prepare(scope) {
  showTimes(scope);
  showCountdowns();
  scope.querySelectorAll('[data-picture]').forEach(preparePicture);
}

const firstContent = document.querySelector('main').innerHTML;
const announcement = Object.assign(document.createElement('p'), { id: 'announcement', className: 'quiet' });
announcement.setAttribute('role', 'status');
document.querySelector('footer').prepend(announcement);
prepare(document);
setInterval(showCountdowns, 1000);
setTimeout(keepFresh, REFRESH_MS);
