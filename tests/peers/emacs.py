"""gramc lsp in Emacs with Eglot, set up as editors/README.md says: emacs.py SOURCE GRAMC. Diagnostics, completion, hover,
definition, rename, formatting and code actions, in an Emacs without a screen."""
import os, re, subprocess, sys, tempfile, shutil
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from checks import check, finish

source, gramc = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
with_eglot = shutil.which("emacs") and subprocess.run(["emacs", "--batch", "-f", "package-initialize", "-l", "eglot"], capture_output=True).returncode == 0
if not with_eglot:
    print("cannot run: Emacs or its Eglot is not installed: apt-get install emacs-nox elpa-eglot")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)

setup = re.search("```elisp\n(.*?)```", open(source + "/editors/README.md").read(), re.S)[1]
SCRIPT = r'''
(package-initialize)
(require 'eglot)
(setq eglot-sync-connect 20 eglot-autoshutdown nil eglot-confirm-server-initiated-edits nil eglot-send-changes-idle-time 0
      make-backup-files nil create-lockfiles nil vc-handled-backends nil)
(defalias 'y-or-n-p (lambda (&rest _) t)) ; a rename over files that are not open is asked about
(defvar out nil)
(defun say (name value) (push (format "%s=%s\n" name (replace-regexp-in-string "\n" "\\\\n" (format "%s" value))) out))
(defun wait (what fits)
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall fits)) (< (float-time) end)) (accept-process-output nil 0.02))
    (unless (funcall fits) (say "timeout" what))))
(defun go (text &optional more) (goto-char (point-min)) (search-forward text) (goto-char (+ (match-beginning 0) (or more 0))))
(defun text () (buffer-substring-no-properties (point-min) (point-max)))
(condition-case failure (progn
(find-file "shop.gram")
(say "mode" major-mode)
(let ((eglot-connect-timeout 20)) (apply #'eglot (eglot--guess-contact)))
(flymake-start)
(wait "findings" (lambda () (flymake-diagnostics)))
(let ((d (car (flymake-diagnostics))))
  (say "finding" (flymake-diagnostic-text d))
  (say "line" (line-number-at-pos (flymake-diagnostic-beg d))))
;; The safe fix, as the editor applies edits.
(go "Itn")
(let ((actions (eglot-code-actions (point) (+ 3 (point)) "quickfix")) (done nil))
  (seq-do (lambda (action) (when (and (not done) (plist-get action :isPreferred))
            (setq done t) (say "action" (plist-get action :title))
            (eglot--apply-workspace-edit (plist-get action :edit)))) actions))
(say "mended" (progn (go "size::") (buffer-substring-no-properties (point) (line-end-position))))
(eglot--signal-textDocument/didChange) ; without a screen nothing is idle
(wait "mended" (lambda () (flymake-start) (not (flymake-diagnostics))))
(go "::Color" 3)
(let* ((capf (eglot-completion-at-point)) (table (nth 2 capf)))
  (say "completion" (mapconcat #'substring-no-properties (all-completions "" table) ",")))
(go "find:" 1)
(let ((doc nil))
  (eglot-hover-eldoc-function (lambda (text &rest _) (setq doc text)))
  (wait "hover" (lambda () doc))
  (say "hover" (substring-no-properties doc)))
(go "::Color" 3)
(call-interactively #'xref-find-definitions)
(say "definition" (format "%s:%d" (file-name-nondirectory buffer-file-name) (line-number-at-pos)))
(find-file "shop.gram")
(go "find:" 1)
(eglot-rename "look")
(say "renamed" (progn (go "[look:Tool") (line-number-at-pos)))
(find-file "desk.gram")
(say "renamed in the library" (text))
(find-file "shop.gram")
(go "(color") (forward-char) (insert "   ")
(eglot-format-buffer)
(say "formatted" (text)))
(error (say "failed" failure)))
(with-temp-file (getenv "GRAMC_OUT") (mapc #'insert (nreverse out)))
(dolist (b (buffer-list)) (with-current-buffer b (set-buffer-modified-p nil)))
(kill-emacs 0)
'''
FILES = {"types.gram": '[Color:Text {enum: ["red", "green"]}]\n',
         "shop.gram": '{imports: ["types.gram"]}\n[clerk:Agent {model: "OpenAI/x"} |\n  [find:Tool {description: "Finds"} |\n    (color::Color)==>(size::Itn)==>(::Text)]\n]\n',
         "desk.gram": '[desk:ToolLibrary {description: "d"} | [find:ToolImpl {returns: "a box"}]]\n', "gramc.gram": '{kind: "configuration"}\n', "init.el": setup, "test.el": SCRIPT}
with tempfile.TemporaryDirectory() as folder:
    for name, text in FILES.items(): open(os.path.join(folder, name), "w").write(text)
    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(gramc, os.path.join(folder, "bin", "gramc"))
    environment = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"], GRAMC_OUT=os.path.join(folder, "out"), HOME=folder)
    run = subprocess.run(["emacs", "--batch", "-l", "init.el", "-l", "test.el"], cwd=folder, env=environment,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    there = os.path.exists(os.path.join(folder, "out"))
    said = dict(line.split("=", 1) for line in open(os.path.join(folder, "out")).read().splitlines()) if there else {}
check(said and "timeout" not in said and "failed" not in said, said, run.stdout)
check(said.get("mode") == "gram-mode", "mode", said)
check("Itn" in said.get("finding", "") and said.get("line") == "4", "diagnostics", said, run.stdout)
check("Int" in said.get("action", "") and "size::Int" in said.get("mended", ""), "code action", said)
check({"Color", "Text"} <= set(said.get("completion", "").split(",")), "completion", said)
check("color" in said.get("hover", "") and "desk" in said.get("hover", ""), "hover", said)
check(said.get("definition") == "types.gram:1", "definition", said)
check(said.get("renamed") == "3" and "[look:ToolImpl" in said.get("renamed in the library", ""), "rename", said)
text = FILES["shop.gram"].replace("(color", "(   color").replace("Itn", "Int").replace("find", "look")
pretty = subprocess.run([gramc, "fmt", "-"], input=text, capture_output=True, text=True).stdout
check(pretty != text and said.get("formatted") == pretty.replace("\n", "\\n"), "formatting", said.get("formatted"), pretty)
finish(9)
