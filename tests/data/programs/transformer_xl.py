"""Transformer-XL: segment recurrence with memories, relative positions by shifting, adaptive embeddings."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionalEmbedding(nn.Module):
    def __init__(self, demb):
        super().__init__()
        self.demb = demb
        inv_freq = 1 / (10000 ** (torch.arange(0.0, demb, 2.0) / demb))
        self.register_buffer("inv_freq", inv_freq)

    def forward(self, pos_seq, bsz=None):
        sinusoid_inp = torch.ger(pos_seq, self.inv_freq)
        pos_emb = torch.cat([sinusoid_inp.sin(), sinusoid_inp.cos()], dim=-1)  #! dim=-1 => dim=0
        if bsz is not None:
            return pos_emb[:, None, :].expand(-1, bsz, -1)
        return pos_emb[:, None, :]


class PositionwiseFF(nn.Module):
    def __init__(self, d_model, d_inner, dropout, pre_lnorm=False):
        super().__init__()
        self.CoreNet = nn.Sequential(
            nn.Linear(d_model, d_inner), nn.ReLU(inplace=True),
            nn.Dropout(dropout),
            nn.Linear(d_inner, d_model),  #! nn.Linear(d_inner, d_model) => nn.Linear(d_model, d_inner)
            nn.Dropout(dropout),
        )
        self.layer_norm = nn.LayerNorm(d_model)
        self.pre_lnorm = pre_lnorm

    def forward(self, inp):
        if self.pre_lnorm:
            return self.CoreNet(self.layer_norm(inp)) + inp
        return self.layer_norm(inp + self.CoreNet(inp))


class RelPartialLearnableMultiHeadAttn(nn.Module):
    def __init__(self, n_head, d_model, d_head, dropout, dropatt=0, pre_lnorm=False):
        super().__init__()
        self.n_head, self.d_model, self.d_head = n_head, d_model, d_head
        self.qkv_net = nn.Linear(d_model, 3 * n_head * d_head, bias=False)
        self.drop, self.dropatt = nn.Dropout(dropout), nn.Dropout(dropatt)
        self.o_net = nn.Linear(n_head * d_head, d_model, bias=False)
        self.layer_norm = nn.LayerNorm(d_model)
        self.scale = 1 / (d_head ** 0.5)
        self.pre_lnorm = pre_lnorm
        self.r_net = nn.Linear(self.d_model, self.n_head * self.d_head, bias=False)

    def _rel_shift(self, x, zero_triu=False):
        zero_pad = torch.zeros((x.size(0), 1, *x.size()[2:]), device=x.device, dtype=x.dtype)  #! (x.size(0), 1, *x.size()[2:]) => (1, x.size(1), *x.size()[2:])
        x_padded = torch.cat([zero_pad, x], dim=1)
        x_padded = x_padded.view(x.size(1) + 1, x.size(0), *x.size()[2:])
        x = x_padded[1:].view_as(x)
        if zero_triu:
            ones = torch.ones((x.size(0), x.size(1)))
            x = x * torch.tril(ones, x.size(1) - x.size(0))[:, :, None, None]
        return x

    def forward(self, w, r, r_w_bias, r_r_bias, attn_mask=None, mems=None):
        qlen, rlen, bsz = w.size(0), r.size(0), w.size(1)
        if mems is not None:
            cat = torch.cat([mems, w], 0)  #! torch.cat([mems, w], 0) => torch.cat([mems, w], 1)
            w_heads = self.qkv_net(self.layer_norm(cat)) if self.pre_lnorm else self.qkv_net(cat)
            r_head_k = self.r_net(r)
            w_head_q, w_head_k, w_head_v = torch.chunk(w_heads, 3, dim=-1)
            w_head_q = w_head_q[-qlen:]
        else:
            w_heads = self.qkv_net(self.layer_norm(w)) if self.pre_lnorm else self.qkv_net(w)
            r_head_k = self.r_net(r)
            w_head_q, w_head_k, w_head_v = torch.chunk(w_heads, 3, dim=-1)
        klen = w_head_k.size(0)
        w_head_q = w_head_q.view(qlen, bsz, self.n_head, self.d_head)
        w_head_k = w_head_k.view(klen, bsz, self.n_head, self.d_head)  #! view(klen, => view(qlen,
        w_head_v = w_head_v.view(klen, bsz, self.n_head, self.d_head)
        r_head_k = r_head_k.view(rlen, self.n_head, self.d_head)
        rw_head_q = w_head_q + r_w_bias
        AC = torch.einsum("ibnd,jbnd->ijbn", (rw_head_q, w_head_k))
        rr_head_q = w_head_q + r_r_bias
        BD = torch.einsum("ibnd,jnd->ijbn", (rr_head_q, r_head_k))
        BD = self._rel_shift(BD)
        attn_score = AC + BD
        attn_score.mul_(self.scale)
        if attn_mask is not None and attn_mask.any().item():
            if attn_mask.dim() == 2:
                attn_score = attn_score.float().masked_fill(attn_mask[None, :, :, None].bool(), -float("inf")).type_as(attn_score)
            elif attn_mask.dim() == 3:
                attn_score = attn_score.float().masked_fill(attn_mask[:, :, :, None].bool(), -float("inf")).type_as(attn_score)  #! attn_mask[:, :, :, None] => attn_mask[None, :, :, :]
        attn_prob = self.dropatt(F.softmax(attn_score, dim=1))
        attn_vec = torch.einsum("ijbn,jbnd->ibnd", (attn_prob, w_head_v))  #! "ijbn,jbnd->ibnd" => "ijbn,ibnd->jbnd"
        attn_vec = attn_vec.contiguous().view(attn_vec.size(0), attn_vec.size(1), self.n_head * self.d_head)
        attn_out = self.drop(self.o_net(attn_vec))
        return w + attn_out if self.pre_lnorm else self.layer_norm(w + attn_out)


class DecoderLayer(nn.Module):
    def __init__(self, n_head, d_model, d_head, d_inner, dropout, **kwargs):
        super().__init__()
        self.dec_attn = RelPartialLearnableMultiHeadAttn(n_head, d_model, d_head, dropout, **kwargs)
        self.pos_ff = PositionwiseFF(d_model, d_inner, dropout, pre_lnorm=kwargs.get("pre_lnorm"))

    def forward(self, dec_inp, r, r_w_bias, r_r_bias, dec_attn_mask=None, mems=None):
        output = self.dec_attn(dec_inp, r, r_w_bias, r_r_bias, attn_mask=dec_attn_mask, mems=mems)
        return self.pos_ff(output)


class AdaptiveEmbedding(nn.Module):
    def __init__(self, n_token, d_embed, d_proj, cutoffs, div_val=2):
        super().__init__()
        self.cutoffs = cutoffs + [n_token]
        self.d_proj, self.emb_scale = d_proj, d_proj ** 0.5
        self.cutoff_ends = [0] + self.cutoffs
        self.emb_layers, self.emb_projs = nn.ModuleList(), nn.ParameterList()
        for i in range(len(self.cutoffs)):
            l_idx, r_idx = self.cutoff_ends[i], self.cutoff_ends[i + 1]
            d_emb_i = d_embed // (div_val ** i)
            self.emb_layers.append(nn.Embedding(r_idx - l_idx, d_emb_i))
            self.emb_projs.append(nn.Parameter(torch.randn(d_proj, d_emb_i) * 0.02))  #! (d_proj, d_emb_i) => (d_emb_i, d_proj)

    def forward(self, inp):
        inp_flat = inp.view(-1)
        emb_flat = torch.zeros([inp_flat.size(0), self.d_proj])
        for i in range(len(self.cutoffs)):
            l_idx, r_idx = self.cutoff_ends[i], self.cutoff_ends[i + 1]
            mask_i = (inp_flat >= l_idx) & (inp_flat < r_idx)
            indices_i = mask_i.nonzero().squeeze()
            if indices_i.numel() == 0:
                continue
            inp_i = inp_flat.index_select(0, indices_i) - l_idx
            emb_i = F.linear(self.emb_layers[i](inp_i), self.emb_projs[i])
            emb_flat.index_copy_(0, indices_i, emb_i)
        return emb_flat.view(*inp.size(), self.d_proj).mul_(self.emb_scale)


class MemTransformerLM(nn.Module):
    def __init__(self, n_token, n_layer, n_head, d_model, d_head, d_inner, dropout, tgt_len, mem_len, cutoffs):
        super().__init__()
        self.word_emb = AdaptiveEmbedding(n_token, d_model, d_model, cutoffs)
        self.drop = nn.Dropout(dropout)
        self.n_layer, self.d_model, self.mem_len = n_layer, d_model, mem_len
        self.pos_emb = PositionalEmbedding(d_model)
        self.r_w_bias = nn.Parameter(torch.zeros(n_head, d_head))
        self.r_r_bias = nn.Parameter(torch.zeros(n_head, d_head))  #! (n_head, d_head) => (d_head, n_head)
        self.layers = nn.ModuleList([DecoderLayer(n_head, d_model, d_head, d_inner, dropout, dropatt=0.1, pre_lnorm=True) for _ in range(n_layer)])
        self.out = nn.AdaptiveLogSoftmaxWithLoss(d_model, n_token, cutoffs, div_value=2.0)

    def init_mems(self):
        return [torch.empty(0) for _ in range(self.n_layer + 1)] if self.mem_len > 0 else None

    def _update_mems(self, hids, mems, mlen, qlen):
        assert len(hids) == len(mems), "len(hids) != len(mems)"
        with torch.no_grad():
            new_mems = []
            end_idx = mlen + max(0, qlen)
            beg_idx = max(0, end_idx - self.mem_len)
            for i in range(len(hids)):
                cat = torch.cat([mems[i], hids[i]], dim=0)
                new_mems.append(cat[beg_idx:end_idx].detach())
        return new_mems

    def forward(self, data, target, *mems):
        if not mems:
            mems = self.init_mems()
        qlen, bsz = data.size()
        word_emb = self.word_emb(data)
        mlen = mems[0].size(0) if mems is not None else 0
        klen = mlen + qlen
        dec_attn_mask = torch.triu(word_emb.new_ones(qlen, klen), diagonal=1 + mlen).byte()[:, :, None]
        pos_seq = torch.arange(klen - 1, -1, -1.0)
        pos_emb = self.drop(self.pos_emb(pos_seq))
        core_out = self.drop(word_emb)
        hids = [core_out]
        for i, layer in enumerate(self.layers):
            mems_i = None if mems is None else mems[i]
            if mems_i is not None and mems_i.numel() == 0:
                mems_i = None
            core_out = layer(core_out, pos_emb.squeeze(1), self.r_w_bias, self.r_r_bias, dec_attn_mask=dec_attn_mask, mems=mems_i)
            hids.append(core_out)
        hidden = self.drop(core_out)
        reveal_type(hidden)
        new_mems = self._update_mems(hids, mems, mlen, qlen)
        loss = self.out(hidden.view(-1, hidden.size(-1)), target.view(-1)).output  #! target.view(-1) => target
        return [loss.view(qlen, bsz)] + new_mems


model = MemTransformerLM(200, 2, 4, 32, 8, 64, 0.0, 6, 8, [40, 100])
optimizer = torch.optim.Adam(model.parameters(), lr=2.5e-4)
stream = torch.randint(0, 200, (25, 3))
mems = tuple()
for start in range(0, 24, 6):
    data, target = stream[start : start + 6], stream[start + 1 : start + 7]
    ret = model(data, target, *mems)
    loss, mems = ret[0], ret[1:]
    reveal_type(loss)
    optimizer.zero_grad()
    loss.float().mean().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    optimizer.step()
reveal_type(mems[-1])
