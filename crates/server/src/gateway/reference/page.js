// Adds to the reference what needs a script: the filter, and requests to the server that the page came from.
'use strict';

const filter = document.getElementById('filter');

function show() {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let any = false;
  for (const item of document.querySelectorAll('[data-words]')) {
    item.hidden = !wanted.every(word => item.dataset.words.includes(word));
    any ||= !item.hidden;
  }
  for (const group of document.querySelectorAll('section.group, nav > ul > li:has(ul)'))
    group.hidden = !group.querySelector('[data-words]:not([hidden])');
  document.getElementById('nothing').hidden = any;
}

filter.addEventListener('input', show);
filter.addEventListener('keydown', event => {
  if (event.key === 'Escape') { filter.value = ''; show(); }
  if (event.key === 'Enter') document.querySelector('nav [data-words]:not([hidden]) a')?.click();
});
document.addEventListener('keydown', event => {
  if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) {
    event.preventDefault();
    filter.focus();
  }
});

function request(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const field of form.querySelectorAll('input[data-in]')) {
    const value = field.value.trim();
    if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(value));
    else if (value && field.dataset.in === 'query') query.set(field.name, value);
    else if (value) headers[field.name] = value;
  }
  const options = { method: form.dataset.method, headers };
  const files = form.querySelector('input[type=file]');
  const body = form.querySelector('textarea');
  if (files) {
    options.body = new FormData();
    for (const file of files.files) options.body.append('resources', file);
  } else if (body && body.value.trim()) {
    headers['Content-Type'] = 'application/json';
    options.body = body.value;
  }
  return [query.size ? `${path}?${query}` : path, options];
}

// Numbers stay as the server wrote them, so JSON is indented as text only where nothing is lost.
function pretty(text) {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

document.addEventListener('submit', async event => {
  event.preventDefault();
  const form = event.target;
  const answer = form.querySelector('.answer');
  answer.hidden = false;
  answer.textContent = '...';
  try {
    const [path, options] = request(form);
    const got = await fetch(path, options);
    const text = await got.text();
    answer.textContent = `${got.status} ${got.statusText}\n${text ? pretty(text) : 'no content'}`;
  } catch (error) {
    answer.textContent = `The server did not answer: ${error.message}`;
  }
});

show();
