"""Colours of code that everybody can read: each has a contrast of more than 4.5 against its paper."""
from pygments.style import Style
from pygments.token import Comment, Error, Generic, Keyword, Name, Number, Operator, Punctuation, String, Token


def of(text, faint, string, name, label, word):
    return {
        Token: text, Punctuation: text, Operator: text, Error: text, Generic: text, Name: text,
        Comment: faint, Comment.Preproc: word, Generic.Prompt: faint, Generic.Output: text,
        String: string, Number: label, Keyword: word, Operator.Word: word,
        Name.Attribute: name, Name.Tag: name, Name.Function: name, Name.Builtin: name,
        Name.Class: label, Name.Constant: label,
    }


class Light(Style):
    background_color = '#f8f8f8'
    styles = of('#1c1e21', '#5a5f66', '#0a5c36', '#1d4f91', '#7a3e00', '#8a1c5b')


class Dark(Style):
    background_color = '#202020'
    styles = of('#e4e6e8', '#a8b0b8', '#8fd19e', '#8ab8ff', '#f0b070', '#ff9ac8')
